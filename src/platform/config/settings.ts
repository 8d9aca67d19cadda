import { StartError } from '../start-error.js';

/** One environment variable: its name, how its text is read, and what it is for. */
export interface Setting<T> {
  env: string;
  description: string;
  fallback: string | undefined;
  /** Throws an Error whose message completes "PORT …". */
  read(text: string): T;
}

interface SettingOptions {
  description: string;
  /** Used when the variable is unset or empty. Without one the variable is required. */
  fallback?: string;
}

export function text(env: string, options: SettingOptions): Setting<string> {
  return setting(env, options, (value) => value);
}

export function integer(env: string, options: SettingOptions & { min: number; max: number }): Setting<number> {
  const { min, max } = options;
  return setting(env, options, (value) => {
    const number = Number(value);
    if (!/^-?\d+$/.test(value.trim()) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${value}"`);
    }
    return number;
  });
}

/** One of some lower-case words, in any letter case. */
export function oneOf<T extends string>(env: string, values: readonly T[], options: SettingOptions): Setting<T> {
  return setting(env, options, (value) => {
    const word = values.find((each) => each === value.trim().toLowerCase());
    if (word === undefined) throw new Error(`must be one of ${values.join(', ')}, not "${value}"`);
    return word;
  });
}

/** Each pair is a word for on and one for off. */
const ON_OFF = [
  ['on', 'off'],
  ['true', 'false'],
  ['yes', 'no'],
  ['1', '0'],
] as const;

/** A switch. The reference of all settings lists its words once (`ON_OFF_WORDS`). */
export function onOff(env: string, options: SettingOptions & { fallback: 'on' | 'off' }): Setting<boolean> {
  return setting(env, options, (value) => {
    const known = onOrOff(value);
    if (known === null) throw new Error(`must be on or off, not "${value}"; ${ON_OFF_WORDS} mean the same`);
    return known;
  });
}

/** On, off, or null for `auto`, the default: other settings or data decide. */
export function onOffAuto(env: string, options: { description: string }): Setting<boolean | null> {
  return setting(env, { ...options, fallback: 'auto' }, (value) => {
    if (value.trim().toLowerCase() === 'auto') return null;
    const known = onOrOff(value);
    if (known === null) throw new Error(`must be on, off or auto, not "${value}"; ${ON_OFF_WORDS} mean on and off`);
    return known;
  });
}

function onOrOff(value: string): boolean | null {
  const word = value.trim().toLowerCase();
  const pair = ON_OFF.find((words) => (words as readonly string[]).includes(word));
  return pair ? word === pair[0] : null;
}

export const ON_OFF_WORDS = ON_OFF.slice(1)
  .map((words) => words.join('/'))
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' and ');

export function url(env: string, protocols: readonly string[], options: SettingOptions): Setting<string> {
  return setting(env, options, (value) => {
    // The value may contain a password, so the message does not repeat it.
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new Error(`must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`);
    }
    return value;
  });
}

/** The same, or nothing: empty means "not set". */
export function optionalUrl(env: string, protocols: readonly string[], options: SettingOptions): Setting<string> {
  const { read } = url(env, protocols, options);
  return setting(env, { ...options, fallback: '' }, (value) => (value === '' ? value : read(value)));
}

/** A text that `check` accepts. It throws an Error whose message completes "REDIS_URL …". */
export function checked(env: string, check: (value: string) => unknown, options: SettingOptions): Setting<string> {
  return setting(env, options, (value) => {
    check(value);
    return value;
  });
}

/** An optional secret: empty means "not set". */
export function secret(env: string, options: { description: string; minLength: number }): Setting<string | null> {
  return setting(env, { ...options, fallback: '' }, (value) => {
    if (value === '') return null;
    if (value.length < options.minLength) throw new Error(`must have at least ${options.minLength} characters`);
    return value;
  });
}

/** An optional key of exactly `bytes` bytes, written in base64: empty means "not set". */
export function base64Key(env: string, options: { description: string; bytes: number }): Setting<Buffer | null> {
  return setting(env, { ...options, fallback: '' }, (value) => {
    if (value === '') return null;
    const key = Buffer.from(value, 'base64');
    // Node skips characters that are not base64, and a shorter key would be weaker.
    if (key.length !== options.bytes || key.toString('base64') !== value.trim()) {
      throw new Error(`must be ${options.bytes} bytes in base64`);
    }
    return key;
  });
}

/** Any number of such keys, separated by commas. */
export function base64Keys(env: string, options: { description: string; bytes: number }): Setting<Buffer[]> {
  const one = base64Key(env, options);
  return setting(env, { ...options, fallback: '' }, (value) =>
    value.split(',').flatMap((each) => one.read(each.trim()) ?? []),
  );
}

function setting<T>(env: string, options: SettingOptions, read: (value: string) => T): Setting<T> {
  return { env, description: options.description, fallback: options.fallback, read };
}

export type Settings = Record<string, Setting<unknown>>;

export type SettingValues<S extends Settings> = { readonly [K in keyof S]: ReturnType<S[K]['read']> };

export class ConfigurationError extends StartError {
  constructor(readonly problems: string[]) {
    const heading = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(`The configuration has ${heading}:\n${problems.map((line) => `  - ${line}`).join('\n')}`);
  }
}

/** Reads every setting from `env`. Throws one ConfigurationError that lists all that is wrong. */
export function readSettings<S extends Settings>(schema: S, env: Record<string, string | undefined>): SettingValues<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, definition] of Object.entries(schema)) {
    const raw = env[definition.env] || definition.fallback;
    if (raw === undefined) {
      problems.push(`${definition.env} is required: ${definition.description}`);
      continue;
    }
    try {
      values[key] = definition.read(raw);
    } catch (error) {
      problems.push(`${definition.env} ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return values as SettingValues<S>;
}
