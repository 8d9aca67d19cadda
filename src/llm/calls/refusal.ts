import type { JsonValue } from '../../platform/json.js';
import { listAt, objectAt, textAt } from '../native/reading.js';

/** Why vendors say that they gave no answer. */
const REASONS = new Set([
  'refusal',
  'content_filter',
  'content_filtered',
  'guardrail_intervened',
  'SAFETY',
  'PROHIBITED_CONTENT',
]);

/** What a model that would not answer said, or why its vendor held the answer back; null for an answer. */
export function findRefusal(response: JsonValue): string | null {
  const [choice] = listAt(response, 'choices', 'candidates');
  const said = textAt(objectAt(choice, 'message'), 'refusal') ?? refusedPart(response);
  if (said !== null) return said;
  const blocked = textAt(objectAt(response, 'promptFeedback'), 'blockReason');
  const ended = [
    textAt(choice, 'finish_reason') ?? textAt(choice, 'finishReason'),
    textAt(response, 'stop_reason') ?? textAt(response, 'stopReason'),
  ];
  return blocked ?? ended.find((reason) => reason !== null && REASONS.has(reason)) ?? null;
}

/** Responses hold items, and these parts. */
function refusedPart(response: JsonValue): string | null {
  const parts = listAt(response, 'output').flatMap((item) => listAt(item, 'content'));
  return parts.map((part) => textAt(part, 'refusal')).find((text) => text !== null) ?? null;
}
