import type { PromptReference } from '../llm/shared/prompt-reference.js';
import type { JsonObject } from '../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  type CellEstimate,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
} from '../grid/column-type/column-type.js';
import { checkOnePrompt, promptReferences, PromptTemplateConfig, withPromptName } from './prompt-config.js';
import { mappedVariables, PromptRuns } from './prompt-runs.js';

const MAPPINGS = 'prompt_template_variable_mappings';

@ColumnType({
  name: 'PROMPT_TEMPLATE',
  title: 'Prompt',
  description: 'The answer of a model to a prompt whose variables are filled in from columns.',
  kind: 'external',
  group: 'ask',
  output: 'text',
  config: PromptTemplateConfig,
  aliases: ['LLM'],
  normalize: withPromptName,
  measured: { outlived: false },
})
export class PromptTemplateColumnType implements ExternalColumnType<PromptTemplateConfig> {
  constructor(private readonly runs: PromptRuns) {}

  check(config: PromptTemplateConfig): void {
    checkOnePrompt(config);
  }

  prompts(config: PromptTemplateConfig): PromptReference[] {
    return promptReferences(config);
  }

  dependsOn(config: JsonObject, { workspaceId }: { workspaceId: number }): Promise<string> {
    return this.runs.identity(config as unknown as PromptTemplateConfig, workspaceId);
  }

  async estimate(
    { config, inputs }: CellRow<PromptTemplateConfig>,
    { workspaceId }: { workspaceId: number },
  ): Promise<CellEstimate | null> {
    if (config.return_template_only) return null;
    const toRun = await this.runs.find(config, workspaceId);
    const variables = mappedVariables(toRun, { key: MAPPINGS, values: config[MAPPINGS], inputs });
    return this.runs.estimate(toRun, config, { variables, history: config.chat_history_source ?? null }, workspaceId);
  }

  async compute({ config, inputs }: CellRow<PromptTemplateConfig>, context: CellContext): Promise<CellResult> {
    const toRun = await this.runs.recall(config, context);
    const variables = mappedVariables(toRun, { key: MAPPINGS, values: config[MAPPINGS], inputs });
    const input = { variables, history: config.chat_history_source ?? null };
    return { value: await this.runs.value(toRun, config, input, context) };
  }
}
