/** A provider and one of its models, such as `openai/gpt-4.1-mini`. Names of models may have slashes themselves. */
export const MODEL_NAME = /^[^\s/]+\/\S+$/;
export const MAX_MODEL_NAME = 512;

export interface NamedModel {
  provider: string;
  model: string;
}

export function toNamedModel(name: string): NamedModel {
  const slash = name.indexOf('/');
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

/** Throws an Error whose message follows the name of a setting. */
export function checkModelName(text: string): string {
  if (!MODEL_NAME.test(text)) throw new Error(`must be a provider and a model such as openai/gpt-5, not "${text}"`);
  return text;
}
