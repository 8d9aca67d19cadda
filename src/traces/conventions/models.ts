import type { SpanAttributes } from './attributes.js';

const MODEL_KEYS = [
  'gen_ai.request.model',
  'gen_ai.response.model',
  'llm.request.model_name',
  'llm.model_name',
  'llm.response.model_name',
  'ai.model.id',
  'aisdk.model.id',
  'langsmith.metadata.ls_model_name',
  'embedding.model_name',
  'langfuse.observation.model.name',
];

const ANSWERING_MODEL_KEYS = ['gen_ai.response.model', 'llm.response.model_name', 'ai.response.model'];

/** Those that say by themselves that a model was called. */
const CALLED_MODEL_KEYS = ['gen_ai.request.model', 'gen_ai.response.model', 'llm.model_name', 'ai.model.id'];

/** The model a span names, the requested one before the one that answered; null when it names none. */
export function readModel(attributes: SpanAttributes): string | null {
  return attributes.firstText(MODEL_KEYS)?.trim() ?? null;
}

/** The model that a span says has answered. */
export function readAnsweringModel(attributes: SpanAttributes): string | undefined {
  return attributes.firstText(ANSWERING_MODEL_KEYS)?.trim();
}

/** Whether a span names the model it called. */
export function namesCalledModel(attributes: SpanAttributes): boolean {
  return attributes.firstText(CALLED_MODEL_KEYS) !== null;
}
