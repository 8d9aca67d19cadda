import type { JsonObject, JsonValue } from '../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { type Iteration, LoopBody, type LoopBodyPlugin, type LoopRow, MAPPINGS } from './loop-body.js';
import type { PromptConfig } from './prompt-config.js';
import { mappedVariables, PromptRuns } from './prompt-runs.js';

/** Loops that send a prompt in every iteration. */
@LoopBody('prompt')
export class PromptLoopBody implements LoopBodyPlugin {
  constructor(private readonly runs: PromptRuns) {}

  dependsOn({ prompt_config }: JsonObject, { workspaceId }: { workspaceId: number }): Promise<string> {
    return prompt_config ? this.runs.identity(prompt_config as never, workspaceId) : Promise.resolve('');
  }

  async start(
    { config, inputs }: LoopRow,
    special: string[],
    context: CellContext,
  ): Promise<(iteration: Iteration) => Promise<JsonValue>> {
    const prompt = config.prompt_config as PromptConfig;
    const toRun = await this.runs.recall(prompt, context);
    const values = config[MAPPINGS] ?? {};
    const variables = mappedVariables(toRun, { key: MAPPINGS, values, inputs, besides: special });
    const history = config.chat_history_source ?? null;
    return ({ values: own }) =>
      this.runs.value(toRun, prompt, { variables: { ...variables, ...own }, history }, context);
  }
}
