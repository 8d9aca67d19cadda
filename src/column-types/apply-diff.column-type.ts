import type { JsonObject, JsonValue } from '../platform/json.js';
import { Isolation } from '../platform/sandbox/expressions/isolation.js';
import { type CellOutcome, ColumnType, type ComputingColumnType } from '../grid/column-type/column-type.js';
import { evaluateTexts } from './evaluate-texts.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';

class ApplyDiffConfig {
  @SourceColumn({ description: 'A column that holds the text to change.' })
  content_source: JsonValue;

  @SourceColumn({ description: 'A column that holds a unified diff.' })
  diff_source: JsonValue;
}

@ColumnType({
  name: 'APPLY_DIFF',
  title: 'Apply a diff',
  description: 'The text with a unified diff applied. An empty diff changes nothing; one that does not fit fails.',
  kind: 'deterministic',
  group: 'compute',
  output: 'text',
  config: ApplyDiffConfig,
  olderKeys: { original_source: 'content_source' },
  normalize: fromList,
})
export class ApplyDiffColumnType implements ComputingColumnType<ApplyDiffConfig> {
  constructor(private readonly isolation: Isolation) {}

  computeMany(configs: ApplyDiffConfig[]): Promise<CellOutcome[]> {
    const rows = configs.map(({ content_source, diff_source }) => [content_source, diff_source]);
    return evaluateTexts(this.isolation, { name: 'patch', options: {} }, rows);
  }
}

/** The two columns may also be given as a list: text, diff. */
function fromList({ sources, ...config }: JsonObject): JsonObject {
  if (!Array.isArray(sources)) return config;
  const [content_source, diff_source] = sources;
  return { ...(content_source && { content_source }), ...(diff_source && { diff_source }), ...config };
}
