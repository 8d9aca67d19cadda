import { Injectable } from '@nestjs/common';
import { isPassingDatabaseFailure } from '../platform/errors/failures.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { CellFailure, type CellResult } from '../grid/column-type/column-type.js';
import { LoopBodies, type LoopRow, MAPPINGS } from './loop-body.js';
import { ITEM_NAME, LOOP_NAMES } from './loop-config.js';

/** The iterations of a loop, and when it ends. */
export interface Iterations {
  most: number;
  /** The items to iterate over, one for each iteration. */
  items?: JsonValue[];
  /** Whether the loop ends after this output. */
  isLast?(output: JsonValue): Promise<boolean>;
}

/**
 * Runs the body of a loop, one iteration after the other. Finished iterations are not run and paid for again when the
 * worker dies.
 */
@Injectable()
export class LoopRuns {
  constructor(private readonly bodies: LoopBodies) {}

  /** Identifies everything the result of a loop depends on besides its config and values. */
  dependsOn(config: JsonObject, place: { workspaceId: number }): Promise<string> {
    return this.bodies.get(String(config.loop_type)).dependsOn(config, place);
  }

  /** `context.dependsOn` is the result of `dependsOn` above. */
  async run(row: LoopRow, { most, items, isLast }: Iterations, context: CellContext): Promise<CellResult> {
    const { config } = row;
    const named = specialNames(row);
    const names = named.map(([name]) => name);
    const runOnce = await this.bodies.get(config.loop_type).start(row, names, context);
    const outputs: JsonValue[] = [];
    for (let index = 0; index < most; index++) {
      context.signal.throwIfAborted();
      const special = new Map<JsonValue, JsonValue>([
        [LOOP_NAMES[0], index],
        [LOOP_NAMES[1], [...outputs]],
        [ITEM_NAME, items?.[index] ?? null],
      ]);
      const values = Object.fromEntries(named.map(([name, meant]) => [name, special.get(meant) ?? null]));
      const end = (error: unknown) => failNamed(`Iteration ${index + 1}`, error, context);
      const name = `iteration ${index + 1}`;
      const output = await context.part(name, () => runOnce({ values, name })).catch(end);
      outputs.push(output);
      if (await isLast?.(output)) break;
    }
    const final_output = outputs.at(-1) ?? null;
    const value = config.return_all_outputs ? { iterations: outputs.length, outputs, final_output } : final_output;
    return { value };
  }
}

/** Variables with a special value instead of a column. */
function specialNames({ config, inputs }: LoopRow): [name: string, meant: JsonValue][] {
  const mapped = new Set(inputs.map(({ key, variable }) => (key === MAPPINGS ? variable : null)));
  return Object.entries(config[MAPPINGS] ?? {}).filter(([name, value]) => !mapped.has(name) && value !== null);
}

/**
 * Fails the cell for good, because a retry would pay for finished iterations again. The message says where the loop
 * failed.
 */
export function failNamed(where: string, error: unknown, { signal }: CellContext): never {
  signal.throwIfAborted();
  if (isPassingDatabaseFailure(error)) throw error;
  const message = error instanceof Error ? error.message : String(error);
  throw new CellFailure(`${where} failed: ${message}`);
}
