import { parseArgs } from 'node:util';
import { LaunchError } from '../launch-error.js';

export const USAGE = `npm run load -- [--api 1] [--worker 1] [--seconds 10] [--clients 16]
      measures so many processes of this machine, with services and data of their own that are deleted afterwards
npm run load -- --url http://host:3000,http://other:3000 [--seconds 10] [--clients 16]
      measures servers that run, with the API key in API_KEY; what it writes stays in the workspace of that key`;

export interface LoadOptions {
  /** Running servers; null for own processes. */
  urls: string[] | null;
  apiKey: string;
  apis: number;
  workers: number;
  /** For each kind of load. */
  seconds: number;
  clients: number;
}

/** @throws LaunchError with the usage */
export function readLoadOptions(args: string[], env: NodeJS.ProcessEnv): LoadOptions {
  const given = parse(args);
  const urls = given.url?.split(',').filter(Boolean) ?? null;
  if (urls && !env.API_KEY) throw new LaunchError(`Set API_KEY to a key of the workspace to measure in.\n\n${USAGE}`);
  for (const url of urls ?? []) if (!URL.canParse(url)) throw new LaunchError(`${url} is no URL.\n\n${USAGE}`);
  return {
    urls: urls?.map((url) => url.replace(/\/$/, '')) ?? null,
    apiKey: env.API_KEY ?? '',
    apis: count('api', given.api, 32),
    workers: count('worker', given.worker, 32),
    seconds: count('seconds', given.seconds, 3600),
    clients: count('clients', given.clients, 1000),
  };
}

function parse(args: string[]) {
  const text = (fallback?: string) => ({ type: 'string', default: fallback }) as const;
  const options = {
    url: { type: 'string' },
    api: text('1'),
    worker: text('1'),
    seconds: text('10'),
    clients: text('16'),
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new LaunchError(`${(error as Error).message}\n\n${USAGE}`);
  }
}

function count(name: string, text: string | undefined, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new LaunchError(`--${name} should be a whole number from 1 to ${most}, not "${text}".\n\n${USAGE}`);
}
