import { Injectable } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { CellFailure, type CellResult, type CellRow } from '../grid/column-type/column-type.js';
import { ITEM_NAME, type LoopConfig, LOOP_NAMES } from './loop-config.js';
import type { PromptConfig } from './prompt-config.js';
import { mappedVariables, PromptRuns } from './prompt-runs.js';
import { NO_WORKFLOWS } from './workflow.column-type.js';

const MAPPINGS = 'variable_mappings';

type Row = CellRow<LoopConfig & { [MAPPINGS]?: JsonObject }>;

/** How a loop goes on, and when it ends. */
export interface Iterations {
  most: number;
  /** What is gone through, one for each iteration. */
  items?: JsonValue[];
  /** Whether the loop ends with this output. */
  isLast?(output: JsonValue): Promise<boolean>;
}

/** Runs what loops repeat, one iteration after the other. What is finished is not paid for again when the worker dies. */
@Injectable()
export class LoopRuns {
  constructor(private readonly runs: PromptRuns) {}

  /** `context.dependsOn` is the identity of the prompt. */
  async run(row: Row, { most, items, isLast }: Iterations, context: CellContext): Promise<CellResult> {
    const { config } = row;
    const runOnce = await this.start(row, context);
    const outputs: JsonValue[] = [];
    for (let index = 0; index < most; index++) {
      context.signal.throwIfAborted();
      const special = new Map<JsonValue, JsonValue>([
        [LOOP_NAMES[0], index],
        [LOOP_NAMES[1], [...outputs]],
        [ITEM_NAME, items?.[index] ?? null],
      ]);
      const end = (error: unknown) => failNamed(`Iteration ${index + 1}`, error, context);
      const output = await context.part(`iteration ${index + 1}`, () => runOnce(special)).catch(end);
      outputs.push(output);
      if (await isLast?.(output)) break;
    }
    const final_output = outputs.at(-1) ?? null;
    const value = config.return_all_outputs ? { iterations: outputs.length, outputs, final_output } : final_output;
    return { value };
  }

  /** What every iteration does with the special values that it has. Throws a CellFailure before anything is spent. */
  private async start(
    { config, inputs }: Row,
    context: CellContext,
  ): Promise<(special: Map<JsonValue, JsonValue>) => Promise<JsonValue>> {
    if (config.loop_type === 'workflow') throw new CellFailure(NO_WORKFLOWS);
    const prompt = config.prompt_config as unknown as PromptConfig;
    const toRun = await this.runs.recall(prompt, context);
    const mapped = new Set(inputs.map(({ key, variable }) => (key === MAPPINGS ? variable : null)));
    const values = config[MAPPINGS] ?? {};
    // What no column stands for and is not empty is a special name.
    const named = Object.entries(values).filter(([name, value]) => !mapped.has(name) && value !== null);
    const besides = named.map(([name]) => name);
    const variables = mappedVariables(toRun, { key: MAPPINGS, values, inputs, besides });
    const history = config.chat_history_source ?? null;
    return (special) => {
      const own = named.map(([name, meant]) => [name, special.get(meant!) ?? null]);
      const filled = { ...variables, ...(Object.fromEntries(own) as JsonObject) };
      return this.runs.value(toRun, prompt, { variables: filled, history }, context);
    };
  }
}

/** What has been paid is not paid again: whatever went wrong is final, and the reader is told where it did. */
export function failNamed(where: string, error: unknown, { signal }: CellContext): never {
  signal.throwIfAborted();
  const message = error instanceof Error ? error.message : String(error);
  throw new CellFailure(`${where} failed: ${message}`);
}
