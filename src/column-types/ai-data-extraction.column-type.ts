import { TextField } from '../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  type CellEstimate,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
} from '../grid/column-type/column-type.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { asJson, asText } from '../grid/column-type/values.js';
import { DefaultModels, toEngine } from './default-models.js';
import { EXTRACTOR } from './extractor.prompt.js';
import { EngineConfig } from './prompt-config.js';
import { quoted, StructuredAnswers } from './structured-answers.js';

class AiDataExtractionConfig extends EngineConfig {
  @SourceColumn({ description: 'The column that the information is taken from.' })
  source: JsonValue;

  @TextField({
    minLength: 1,
    maxLength: 100_000,
    description: 'The value to extract from the source.',
    example: 'The number of the order',
  })
  query: string;
}

@ColumnType({
  name: 'AI_DATA_EXTRACTION',
  title: 'Extracted by a model',
  description:
    'The value that a model extracts from the source for a query: a text, a list or an object; null when it finds none.',
  kind: 'external',
  group: 'ask',
  output: 'json',
  config: AiDataExtractionConfig,
  olderKeys: { extraction_prompt: 'query' },
  revision: EXTRACTOR.revision,
})
export class AiDataExtractionColumnType implements ExternalColumnType<AiDataExtractionConfig> {
  constructor(
    private readonly models: DefaultModels,
    private readonly answers: StructuredAnswers,
  ) {}

  dependsOn(config: JsonObject, { workspaceId }: { workspaceId: number }): Promise<string> {
    return this.models.language(config, workspaceId);
  }

  async estimate(
    { config }: CellRow<AiDataExtractionConfig>,
    { workspaceId }: { workspaceId: number },
  ): Promise<CellEstimate | null> {
    const engine = toEngine(await this.models.language({ ...config } as JsonObject, workspaceId));
    const asked = { source: quoted(config.source), query: config.query };
    return this.answers.estimate(EXTRACTOR, engine, asked, workspaceId);
  }

  async compute({ config }: CellRow<AiDataExtractionConfig>, context: CellContext): Promise<CellResult> {
    // An empty source needs no paid call.
    if (asText(config.source).trim() === '') return { value: null };
    const engine = toEngine(context.dependsOn);
    const model = { engine, credential: config.credential || null };
    const asked = { source: quoted(config.source), query: config.query };
    const { found, answer } = await this.answers.ask(EXTRACTOR, model, asked, context);
    return { value: found && answer.trim() !== '' ? structureOf(answer) : null };
  }
}

/** Lists and objects become JSON. Everything else stays a text: "007" is no number. */
function structureOf(answer: string): JsonValue {
  if (!/^\s*[[{]/.test(answer)) return answer;
  try {
    return asJson(answer);
  } catch {
    return answer;
  }
}
