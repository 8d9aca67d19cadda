import type { PromptReference } from '../llm/shared/prompt-reference.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
} from '../grid/column-type/column-type.js';
import { SourceColumn, SourceMap } from '../grid/column-type/source-fields.js';
import { asJson, excerpt } from '../grid/column-type/values.js';
import { MANY_CALLS_MS, MAX_ITERATIONS } from './iteration-limits.js';
import { checkLoop, ITEM_NAME, LOOP_NAMES, LoopConfig, loopReferences, withOwnSources } from './loop-config.js';
import { LoopRuns } from './loop-runs.js';

class ForLoopConfig extends LoopConfig {
  @SourceColumn({
    optional: true,
    description: `A column with a JSON list: there is an iteration for each item, up to ${MAX_ITERATIONS}. Give it or \`max_iterations\`.`,
  })
  iterator_source?: JsonValue;

  @SourceMap({
    optional: true,
    specialNames: [...LOOP_NAMES, ITEM_NAME],
    description:
      'A column (its title or its id) for each variable; or `loop_index`, which counts from 0, `previous_outputs`, the list of what the iterations before gave, or `_iterator_item`.',
    example: { topic: '_iterator_item' },
  })
  variable_mappings?: JsonObject;
}

@ColumnType({
  name: 'FOR_LOOP',
  title: 'Loop over a list',
  description: 'Runs a prompt or a workflow for each item of a list, or a number of times.',
  kind: 'external',
  group: 'ask',
  output: 'json',
  config: ForLoopConfig,
  normalize: withOwnSources,
  timeLimitMs: MANY_CALLS_MS,
})
export class ForLoopColumnType implements ExternalColumnType<ForLoopConfig> {
  constructor(private readonly loops: LoopRuns) {}

  check(config: ForLoopConfig): void {
    checkLoop(config);
    const { iterator_source, max_iterations, variable_mappings = {} } = config;
    if (!iterator_source === !max_iterations) throw new Error('give either iterator_source or max_iterations.');
    if (!iterator_source && Object.values(variable_mappings).includes(ITEM_NAME)) {
      throw new Error(`variable_mappings: there is no ${ITEM_NAME} without an iterator_source.`);
    }
  }

  prompts(config: ForLoopConfig): PromptReference[] {
    return loopReferences(config);
  }

  dependsOn(config: JsonObject, place: { workspaceId: number }): Promise<string> {
    return this.loops.dependsOn(config, place);
  }

  async compute(row: CellRow<ForLoopConfig>, context: CellContext): Promise<CellResult> {
    const { iterator_source, max_iterations } = row.config;
    if (!row.inputs.some(({ key }) => key === 'iterator_source')) {
      return this.loops.run(row, { most: max_iterations ?? 0 }, context);
    }
    const items = itemsOf(iterator_source ?? null);
    return this.loops.run(row, { most: items.length, items }, context);
  }
}

function itemsOf(value: JsonValue): JsonValue[] {
  const items = readList(value);
  if (!items) throw new CellFailure(`The iterator_source is no JSON list: ${excerpt(value)}.`);
  if (items.length > MAX_ITERATIONS) {
    const many = `The list of the iterator_source has ${items.length} items`;
    throw new CellFailure(`${many}, and a loop makes ${MAX_ITERATIONS} iterations at most. Split the list.`);
  }
  return items;
}

function readList(value: JsonValue): JsonValue[] | null {
  try {
    const items = asJson(value, Array.isArray);
    return Array.isArray(items) ? items : null;
  } catch {
    return null;
  }
}
