import {
  asText,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
  type JsonValue,
  Module,
  type PromptReference,
  SourceColumn,
  TextField,
} from 'tracesheet/extension';

class PromptedConfig {
  @SourceColumn()
  source: JsonValue;

  @TextField()
  prompt: string;

  @TextField({ optional: true, nullable: true })
  label?: string | null;
}

/** Uses a prompt of the registry, by a label or its latest version. */
@ColumnType({
  name: 'PROMPTED',
  title: 'Prompted',
  description: 'Applies a prompt to the source.',
  kind: 'external',
  output: 'text',
  config: PromptedConfig,
})
export class PromptedColumnType implements ExternalColumnType<PromptedConfig> {
  compute({ config }: CellRow<PromptedConfig>): Promise<CellResult> {
    return Promise.resolve({ value: `${config.prompt}: ${asText(config.source)}` });
  }

  prompts({ prompt, label }: PromptedConfig): PromptReference[] {
    return [{ id: null, name: prompt, version: null, label: label ?? null }];
  }
}

@Module({ providers: [PromptedColumnType] })
export default class PromptedModule {}
