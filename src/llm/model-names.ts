/** Longer names are not names of models. */
export const MAX_MODEL_NAME = 200;

const VENDOR_PATH = /^(?:[\w.-]+\/)+/;
const VENDOR_DOT = /^(?:[a-z-]+\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|mistral|openai)\./;

/**
 * Aliases, Bedrock's versions, and whole dates: the name of a snapshot of the model. A `-preview` and a short date (`-2402`,
 * `-05-06`) are part of the name: vendors sell such models at other prices.
 */
const SUFFIX = /(?:-latest|-v\d+(?::\d+)?|@\d{8}|@latest|@default|-20\d{2}-?\d{2}-?\d{2})$/;

/** The names by which prices of a model may be known: as given, then without vendor, then without version. */
export function modelNames(model: string): [string, ...string[]] {
  const names: [string, ...string[]] = [model.trim().toLowerCase()];
  const add = (name: string): void => {
    if (name !== '' && !names.includes(name)) names.push(name);
  };
  const last = (): string => names[names.length - 1]!;
  add(last().replace(VENDOR_PATH, ''));
  add(last().replace(VENDOR_DOT, ''));
  for (let name = last(); SUFFIX.test(name); add(name)) name = name.replace(SUFFIX, '');
  return names;
}
