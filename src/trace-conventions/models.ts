import type { SpanAttributes } from './attributes.js';
import { rankedKeys, textFrom, type Words } from './words.js';

const REQUESTED = rankedKeys(({ model }) => model?.requested);
const answering = ({ model }: Words): string[] | undefined => model?.answering;
const called = ({ model }: Words): string[] | undefined => model?.called;

/** The model a span names, the requested one before the one that answered; null when it names none. */
export function readModel(attributes: SpanAttributes): string | null {
  return attributes.firstText(REQUESTED())?.trim() ?? null;
}

/** The model that answered, according to the span. */
export function readAnsweringModel(attributes: SpanAttributes): string | undefined {
  return textFrom(attributes, answering)?.trim();
}

/** Whether a span names the model it called. */
export function namesCalledModel(attributes: SpanAttributes): boolean {
  return textFrom(attributes, called) !== null;
}
