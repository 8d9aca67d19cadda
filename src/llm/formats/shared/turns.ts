import type { JsonObject } from '../../../platform/json.js';
import type { ContentPart } from '../../shared/blueprint.js';
import type { SpokenTurn, Turn } from './conversation.js';

/** Consecutive messages of one role, as blocks of a vendor's format. */
export interface Blocks {
  role: string;
  blocks: JsonObject[];
}

/** Separates instructions from all other messages: some vendors take them beside the messages. */
export function splitInstructions(turns: Turn[]): { instructions: ContentPart[]; dialogue: Turn[] } {
  const isInstruction = (turn: Turn): turn is SpokenTurn => turn.role === 'system' || turn.role === 'developer';
  return {
    instructions: turns.filter(isInstruction).flatMap((turn) => turn.parts),
    dialogue: turns.filter((turn) => !isInstruction(turn)),
  };
}

/** Makes roles alternate: neighbours of one role are joined, and empty turns are removed. */
export function alternate(messages: Blocks[]): Blocks[] {
  const merged: Blocks[] = [];
  for (const { role, blocks } of messages) {
    if (blocks.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else merged.push({ role, blocks: [...blocks] });
  }
  return merged;
}

/** The text parts that hold more than blanks; vendors refuse blocks that do not. */
export function filledTexts(parts: ContentPart[]): string[] {
  return parts.flatMap((part) => {
    const text = filledText(part);
    return text === null ? [] : [text];
  });
}

/** The text of a text part that holds more than blanks; null for any other part. */
export function filledText(part: ContentPart): string | null {
  const text = part.type === 'text' && typeof part.text === 'string' ? part.text : '';
  return text.trim() === '' ? null : text;
}
