import { Inject } from '@nestjs/common';
import { z } from 'zod';
import type { PromptReference } from '../llm/shared/prompt-reference.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { BooleanField, IntegerField, TextField } from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
} from '../grid/column-type/column-type.js';
import { readJson } from '../platform/read-json.js';
import { SourceColumn } from '../grid/column-type/source-fields.js';
import { asText } from '../grid/column-type/values.js';
import { MANY_CALLS_MS, MAX_TURNS } from './iteration-limits.js';
import { DefaultModels, toEngine } from './default-models.js';
import { checkOnePrompt, PromptConfig, promptReferences, withPromptName } from './prompt-config.js';
import { mappedVariables, PromptRuns } from './prompt-runs.js';
import { type Simulation, Simulations } from './simulations.js';
import { COMPLETION_CHECK, SIMULATED_USER } from './simulation.prompts.js';

const MAPPINGS = 'prompt_template_variable_mappings';
const MAX_TEXT = 100_000;
const NO_MODEL = 'The prompt names no model. Publish a version with one in metadata.model.';

class ConversationSimulatorConfig extends PromptConfig {
  @TextField({
    optional: true,
    nullable: true,
    maxLength: MAX_TEXT,
    description: 'The simulated user: their role and their goal. Give it or `user_persona_source`.',
    example: 'A customer who wants to return shoes and is in a hurry.',
  })
  user_persona?: string | null;

  @SourceColumn({
    advanced: true,
    optional: true,
    description: 'A column that holds the persona, instead of `user_persona`.',
  })
  user_persona_source?: JsonValue;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: MAX_TEXT,
    description:
      'The condition that ends the conversation. A model checks it after every answer of the prompt; without it the conversation has `max_turns`.',
    example: 'The customer knows how to return the shoes.',
  })
  conversation_completed_prompt?: string | null;

  @SourceColumn({
    advanced: true,
    optional: true,
    description: 'A column that holds the condition, instead of `conversation_completed_prompt`.',
  })
  conversation_completed_prompt_source?: JsonValue;

  @BooleanField({
    advanced: true,
    optional: true,
    default: false,
    description:
      'Whether the simulated user begins instead of the prompt. A prompt that begins and contains only instructions gets a message that the conversation begins.',
  })
  is_user_first?: boolean;

  @IntegerField({
    advanced: true,
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_TURNS,
    description: 'The largest number of answers of the prompt. By default that of the server (SIMULATION_TURNS).',
  })
  max_turns?: number | null;

  @SchemaField(z.array(z.unknown()).max(100), {
    advanced: true,
    optional: true,
    nullable: true,
    description: 'Conversations that show how the user talks, in any form.',
    example: [[{ role: 'user', content: 'hi, shoes dont fit' }]],
  })
  conversation_samples?: JsonValue[] | null;
}

@ColumnType({
  name: 'CONVERSATION_SIMULATOR',
  title: 'Simulated conversation',
  description:
    'The messages of a conversation between a prompt and a user that a model plays. The `engine` is the model of the user; the prompt has its own.',
  kind: 'external',
  group: 'ask',
  output: 'json',
  config: ConversationSimulatorConfig,
  normalize: withPromptName,
  revision: SIMULATED_USER.revision * 100 + COMPLETION_CHECK.revision,
  timeLimitMs: MANY_CALLS_MS,
})
export class ConversationSimulatorColumnType implements ExternalColumnType<ConversationSimulatorConfig> {
  constructor(
    private readonly models: DefaultModels,
    private readonly runs: PromptRuns,
    private readonly simulations: Simulations,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  check(config: ConversationSimulatorConfig): void {
    checkOnePrompt(config);
    const { user_persona, user_persona_source } = config;
    if (!user_persona?.trim() === !user_persona_source) {
      throw new Error('give either user_persona or user_persona_source.');
    }
    const { conversation_completed_prompt, conversation_completed_prompt_source } = config;
    if (conversation_completed_prompt && conversation_completed_prompt_source) {
      throw new Error('give conversation_completed_prompt or conversation_completed_prompt_source, not both.');
    }
  }

  prompts(config: ConversationSimulatorConfig): PromptReference[] {
    return promptReferences(config);
  }

  async dependsOn(config: JsonObject, { workspaceId }: { workspaceId: number }): Promise<string> {
    const prompt = await this.runs.identity(config as never, workspaceId);
    return JSON.stringify([prompt, await this.models.language(config, workspaceId), this.config.simulationTurns]);
  }

  async compute(row: CellRow<ConversationSimulatorConfig>, context: CellContext): Promise<CellResult> {
    const { config, inputs } = row;
    const [dependsOn, engine, usualTurns] = readJson(context.dependsOn) as [string, string, number];
    const agent = await this.runs.recall(config, { ...context, dependsOn });
    if (!agent.metadata?.model) throw new CellFailure(NO_MODEL);
    if (agent.prompt.type !== 'chat') throw new CellFailure('Only the prompt of a chat can hold a conversation.');
    const variables = mappedVariables(agent, { key: MAPPINGS, values: config[MAPPINGS] as JsonObject, inputs });
    const simulation: Simulation = {
      agent,
      variables,
      user: { engine: toEngine(engine), credential: config.credential || null },
      persona: personaOf(row),
      samples: config.conversation_samples ?? [],
      condition: textOf(row, 'conversation_completed_prompt'),
      isUserFirst: config.is_user_first ?? false,
      maxTurns: config.max_turns ?? usualTurns,
    };
    return { value: await this.simulations.run(simulation, context) };
  }
}

function personaOf(row: CellRow<ConversationSimulatorConfig>): string {
  const persona = textOf(row, 'user_persona');
  if (persona === '') throw new CellFailure('Nobody knows who the user is: user_persona_source is empty.');
  return persona;
}

function textOf(
  { config, inputs }: CellRow<ConversationSimulatorConfig>,
  key: 'user_persona' | 'conversation_completed_prompt',
): string {
  const isFromColumn = inputs.some((input) => input.key === `${key}_source`);
  return asText(isFromColumn ? config[`${key}_source`] : config[key]).trim();
}
