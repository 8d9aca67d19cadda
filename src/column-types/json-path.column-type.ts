import { BooleanField, TextField } from '../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { compileJsonPath, MAX_PATH } from '../platform/sandbox/expressions/json-path.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { evaluateTexts } from './evaluate-texts.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { isTrue } from './two-sources.js';

class JsonPathConfig {
  @SourceColumn({ description: 'A column that holds JSON, or text that is JSON.' })
  source: JsonValue;

  @TextField({ minLength: 1, maxLength: MAX_PATH, description: 'A JSONPath (RFC 9535).', example: '$.items[0].name' })
  json_path: string;

  @BooleanField({ advanced: true, optional: true, default: true, description: 'Otherwise all matches, in a list.' })
  return_first_match?: boolean;
}

@ColumnType({
  name: 'JSON_PATH',
  title: 'JSON path',
  description: 'The matches of a JSONPath in the source: the first one or null, or all of them.',
  kind: 'deterministic',
  group: 'compute',
  output: 'json',
  config: JsonPathConfig,
  olderKeys: { path: 'json_path' },
  normalize: fromReturnAll,
})
export class JsonPathColumnType implements ComputingColumnType<JsonPathConfig> {
  constructor(private readonly isolation: Isolation) {}

  check({ json_path }: JsonPathConfig): void {
    compileJsonPath(json_path);
  }

  computeMany(configs: JsonPathConfig[]): Promise<CellOutcome[]> {
    const { json_path, return_first_match = true } = configs[0]!;
    const options = { path: json_path, first: return_first_match };
    return evaluateTexts(
      this.isolation,
      { name: 'json_path', options },
      configs.map(({ source }) => [source]),
    );
  }
}

function fromReturnAll({ return_all, ...config }: JsonObject): JsonObject {
  if (return_all === undefined || return_all === null || config.return_first_match !== undefined) return config;
  return { ...config, return_first_match: !isTrue(return_all) };
}
