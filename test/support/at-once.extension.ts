import {
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
  type JsonValue,
  Module,
  SourceColumn,
} from 'tracesheet/extension';

class AtOnceConfig {
  @SourceColumn()
  source: JsonValue;
}

/** External type that answers at once, to measure the time of the server for such a cell. */
@ColumnType({
  name: 'AT_ONCE',
  title: 'At once',
  description: 'The source.',
  kind: 'external',
  output: 'json',
  config: AtOnceConfig,
  reusesResults: false,
})
export class AtOnceColumnType implements ExternalColumnType<AtOnceConfig> {
  compute({ config }: CellRow<AtOnceConfig>): Promise<CellResult> {
    return Promise.resolve({ value: config.source });
  }
}

@Module({ providers: [AtOnceColumnType] })
export default class AtOnceModule {}
