import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../../platform/json.js';
import type { CellContext } from '../../grid/column-type/cell-context.js';
import { type Iteration, LoopBody, type LoopBodyPlugin, type LoopRow, MAPPINGS } from '../../column-types/index.js';
import { NestedRuns, type WorkflowChoice } from './nested-runs.js';

/** Loops that run a workflow again and again. */
@LoopBody('workflow')
export class WorkflowLoopBody implements LoopBodyPlugin {
  constructor(private readonly runs: NestedRuns) {}

  /** The dependencies of the workflow's nodes are unknown, so results are never shared. */
  dependsOn(): Promise<string> {
    return Promise.resolve(randomUUID());
  }

  start(
    { config, inputs }: LoopRow,
    special: string[],
    context: CellContext,
  ): Promise<(iteration: Iteration) => Promise<JsonValue>> {
    const choice = config.workflow_config as WorkflowChoice;
    const values = config[MAPPINGS] ?? {};
    const mapped = new Set(inputs.flatMap(({ key, variable }) => (key === MAPPINGS ? (variable ?? []) : [])));
    const fixed = [...mapped].map((name): [string, JsonValue] => [name, values[name] ?? null]);
    return Promise.resolve(({ values: own, name }: Iteration) => {
      const changing = special.map((each): [string, JsonValue] => [each, own[each] ?? null]);
      const nested = { choice, mapped: new Map([...fixed, ...changing]), key: MAPPINGS, part: name };
      return this.runs.run(nested, context);
    });
  }
}
