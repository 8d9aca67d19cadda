import { Injectable } from '@nestjs/common';
import { hasDialogue } from '../llm/index.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { PromptsToRun, type PromptToRun } from '../prompts/index.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import { CellFailure } from '../grid/column-type/column-type.js';
import { failNamed } from './loop-runs.js';
import { PromptRuns } from './prompt-runs.js';
import { AGENT_OPENING, COMPLETION_CHECK, SIMULATED_USER } from './simulation.prompts.js';
import { type AskedModel, chatOf, quoted, StructuredAnswers } from './structured-answers.js';

export interface Simulation {
  /** The prompt under test and its input. */
  agent: PromptToRun;
  variables: JsonObject;
  /** The model that plays the user and checks whether the conversation is over. */
  user: AskedModel;
  persona: string;
  samples: JsonValue[];
  /** The condition that ends the conversation; empty to use all turns. */
  condition: string;
  isUserFirst: boolean;
  /** Maximum number of answers of the agent. */
  maxTurns: number;
}

/** Not an interface, which would not be a JSON value. */
type Said = {
  role: 'user' | 'assistant';
  content: string;
};

interface Turn {
  simulation: Simulation;
  /** The prompt of the model that plays the user. */
  user: PromptToRun;
  /** The conversation so far. */
  conversation: Said[];
  turn: number;
}

interface TakenTurn {
  said: Said[];
  isOver: boolean;
}

/**
 * Simulates a conversation between a prompt and a model that plays its user. Finished turns are not paid for again when
 * the worker dies.
 */
@Injectable()
export class Simulations {
  constructor(
    private readonly prompts: PromptsToRun,
    private readonly runs: PromptRuns,
    private readonly answers: StructuredAnswers,
  ) {}

  async run(simulation: Simulation, context: CellContext): Promise<Said[]> {
    const user = await this.prompts.inline(context.workspaceId, chatOf(SIMULATED_USER), null);
    const conversation: Said[] = [];
    for (let turn = 1; turn <= simulation.maxTurns; turn++) {
      context.signal.throwIfAborted();
      const take = () => this.take({ simulation, user, conversation, turn }, context);
      const end = (error: unknown) => failNamed(`Turn ${turn}`, error, context);
      const { said, isOver } = await context.part(`turn ${turn}`, take).catch(end);
      conversation.push(...said);
      if (isOver) break;
    }
    return conversation;
  }

  /** Takes a turn and finds out whether the conversation is over. */
  private async take({ simulation, user, conversation, turn }: Turn, context: CellContext): Promise<TakenTurn> {
    const { maxTurns, isUserFirst, condition } = simulation;
    const all = [...conversation];
    if (turn > 1 || isUserFirst) all.push(await this.askUser(user, simulation, all, context));
    all.push(await this.askAgent(simulation, all, context));
    // The conversation ends after the last turn anyway.
    const isOver = turn < maxTurns && condition !== '' && (await this.isOver(simulation, all, context));
    return { said: all.slice(conversation.length), isOver };
  }

  private async askAgent(
    { agent, variables, user, isUserFirst }: Simulation,
    conversation: Said[],
    context: CellContext,
  ): Promise<Said> {
    const credential = isSame(agent.metadata?.model?.provider, user.engine.provider) ? user.credential : null;
    const opening = isUserFirst || hasDialogue(agent.prompt) ? [] : [{ role: 'user', content: AGENT_OPENING }];
    const input = { variables, history: [...opening, ...conversation] as JsonValue };
    const { text } = await this.runs.answer(agent, { credential }, input, context);
    return said('assistant', text, 'The prompt');
  }

  /** For the model that plays the user, messages of the agent come from its user. */
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
    const asked = { conversation: quoted(conversation), condition };
    return (await this.answers.ask(COMPLETION_CHECK, user, asked, context)).completed;
  }
}

/** A credential belongs to a provider. */
function isSame(provider: string | undefined, other: string): boolean {
  return provider?.trim().toLowerCase() === other.trim().toLowerCase();
}

/** Vendors refuse conversations with empty messages. */
function said(role: Said['role'], text: string, who: string): Said {
  if (text.trim() === '') throw new CellFailure(`${who} answered nothing.`);
  return { role, content: role === 'user' ? text.trim() : text };
}
