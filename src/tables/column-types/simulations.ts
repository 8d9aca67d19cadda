import { Injectable } from '@nestjs/common';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { PromptsToRun, type PromptToRun } from '../../prompts/index.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { CellFailure } from '../grid/column-type/column-type.js';
import { failNamed } from './loop-runs.js';
import { PromptRuns } from './prompt-runs.js';
import { AGENT_OPENING, COMPLETION_CHECK, SIMULATED_USER } from './simulation.prompts.js';
import { type AskedModel, chatOf, quoted, StructuredAnswers } from './structured-answers.js';

export interface Simulation {
  /** The prompt that is tried, and what is filled into it. */
  agent: PromptToRun;
  variables: JsonObject;
  /** The model that plays the user, and that says whether the conversation is over. */
  user: AskedModel;
  persona: string;
  samples: JsonValue[];
  /** What has to hold for the conversation to be over; empty to go on to the end. */
  condition: string;
  isUserFirst: boolean;
  /** Most answers of the agent. */
  maxTurns: number;
}

interface Said {
  role: 'user' | 'assistant';
  content: string;
}

/** Lets a prompt and a model that plays its user talk. Every turn is a step of the cell's trace. */
@Injectable()
export class Simulations {
  constructor(
    private readonly prompts: PromptsToRun,
    private readonly runs: PromptRuns,
    private readonly answers: StructuredAnswers,
  ) {}

  async run(simulation: Simulation, context: CellContext): Promise<Said[]> {
    const { maxTurns, isUserFirst, condition } = simulation;
    const user = await this.prompts.inline(context.workspaceId, chatOf(SIMULATED_USER), null);
    const conversation: Said[] = [];
    for (let turn = 1; turn <= maxTurns; turn++) {
      context.signal.throwIfAborted();
      const take = async () => {
        if (turn > 1 || isUserFirst) conversation.push(await this.askUser(user, simulation, conversation, context));
        conversation.push(await this.askAgent(simulation, conversation, context));
        // Nothing comes after the last turn, whatever the answer would be.
        return turn < maxTurns && condition !== '' && (await this.isOver(simulation, conversation, context));
      };
      const isOver = await context
        .step(`turn ${turn}`, take)
        .catch((error: unknown) => failNamed(`Turn ${turn}`, error, context));
      if (isOver) break;
    }
    return conversation;
  }

  private async askAgent(
    { agent, variables, user, isUserFirst }: Simulation,
    conversation: Said[],
    context: CellContext,
  ): Promise<Said> {
    const credential = isSame(agent.metadata?.model?.provider, user.engine.provider) ? user.credential : null;
    const opening = isUserFirst || hasDialogue(agent) ? [] : [{ role: 'user', content: AGENT_OPENING }];
    const input = { variables, history: [...opening, ...conversation] as JsonValue };
    const { text } = await this.runs.answer(agent, { credential }, input, context);
    return said('assistant', text, 'The prompt');
  }

  /** To the model that plays the user, what the agent says is what its own user says. */
  private async askUser(
    prompt: PromptToRun,
    { user, persona, samples }: Simulation,
    conversation: Said[],
    context: CellContext,
  ): Promise<Said> {
    const seen = conversation.map(({ role, content }) => ({ role: role === 'user' ? 'assistant' : 'user', content }));
    const opening = { role: 'user', content: SIMULATED_USER.opening };
    const history = seen[0]?.role === 'user' ? seen : [opening, ...seen];
    const shown = samples.length > 0 ? `This is how the person talks, as JSON:\n${quoted(samples)}` : '';
    const input = { variables: { persona, samples: shown }, history };
    const { text } = await this.runs.answer(prompt, user, input, context);
    return said('user', text, 'The model that plays the user');
  }

  private async isOver({ user, condition }: Simulation, conversation: Said[], context: CellContext): Promise<boolean> {
    const asked = { conversation: quoted(conversation as unknown as JsonValue), condition };
    return (await this.answers.ask(COMPLETION_CHECK, user, asked, context)).completed;
  }
}

/** Whether there is more in a prompt than what the model is told beforehand. */
function hasDialogue({ prompt }: PromptToRun): boolean {
  return prompt.type === 'chat' && prompt.messages.some(({ role }) => role !== 'system' && role !== 'developer');
}

/** A credential is one of a provider. */
function isSame(provider: string | undefined, other: string): boolean {
  return provider?.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Vendors refuse conversations with empty messages. */
function said(role: Said['role'], text: string, who: string): Said {
  if (text.trim() === '') throw new CellFailure(`${who} answered nothing.`);
  return { role, content: role === 'user' ? text.trim() : text };
}
