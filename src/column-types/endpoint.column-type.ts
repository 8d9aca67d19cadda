import type { JsonObject, JsonValue } from '../platform/json.js';
import { JsonObjectField, NumberField, TextField } from '../platform/http/fields.js';
import { findHeaderProblem } from '../platform/outbound/headers.js';
import { OutboundClient, OutboundFailure, type OutboundResponse } from '../platform/outbound/outbound.client.js';
import { readJsonWithin } from '../platform/read-json.js';
import type { CellContext } from '../grid/column-type/cell-context.js';
import {
  CellFailure,
  type CellResult,
  type CellRow,
  ColumnType,
  type ExternalColumnType,
  type LeftValue,
} from '../grid/column-type/column-type.js';
import { outsideFailure } from './outside-failure.js';

const DEFAULT_TIMEOUT = 30;
const MAX_TIMEOUT = 600;
/** Maximum size of an answer in bytes; a cell holds no more. */
const MAX_ANSWER = 10_000_000;
/** Characters of an answer that the message of a failure shows. */
const SHOWN = 300;
/** Limits of JSON. An answer that nests deeper, or seems to, is a text. */
const JSON_LIMITS = { depth: 200, containers: 2_000_000 };

class EndpointConfig {
  @TextField({
    minLength: 1,
    maxLength: 2000,
    description:
      'Where the values of the row are sent: http or https. It must lead to the public internet unless OUTBOUND_ALLOW_PRIVATE is on. Redirects are not followed.',
    example: 'https://api.example.com/classify',
  })
  url: string;

  @JsonObjectField({
    advanced: true,
    optional: true,
    nullable: true,
    values: { type: 'string' },
    description: 'Headers of the request, by name. Everybody who may read the sheet can read them.',
    example: { 'X-Team': 'support' },
  })
  headers?: Record<string, string> | null;

  @NumberField({
    advanced: true,
    optional: true,
    nullable: true,
    min: 0.1,
    max: MAX_TIMEOUT,
    default: DEFAULT_TIMEOUT,
    description: 'How many seconds the endpoint may take for its whole answer.',
    example: DEFAULT_TIMEOUT,
  })
  timeout?: number | null;
}

@ColumnType({
  name: 'ENDPOINT',
  title: 'Endpoint',
  description:
    'The response of an HTTP endpoint. It gets a POST whose body is a JSON object with the values of all columns to the left by title. ' +
    'An answer that is JSON becomes that value, any other one a text. Statuses other than 2xx fail the cell; 408, 425, 429, 5xx and ' +
    'broken connections are retried first. Headers are part of the config, so readers of the sheet see secrets in them.',
  kind: 'external',
  group: 'outside',
  output: 'json',
  config: EndpointConfig,
  reads: 'left',
  // A POST may have side effects, and its answer may differ every time.
  reusesResults: false,
})
export class EndpointColumnType implements ExternalColumnType<EndpointConfig> {
  constructor(private readonly outbound: OutboundClient) {}

  check({ url, headers }: EndpointConfig): void {
    const problem = this.outbound.findProblem(url);
    if (problem) throw new Error(`url: ${problem}`);
    const headerProblem = findHeaderProblem(headers ?? {});
    if (headerProblem) throw new Error(`headers: ${headerProblem}`);
  }

  async compute({ config, left }: CellRow<EndpointConfig>, { signal }: CellContext): Promise<CellResult> {
    const answer = await this.call(config, bodyOf(left), signal);
    const problem = problemOf(answer);
    if (problem) throw outsideFailure(problem, answer);
    if (answer.truncated) throw new CellFailure(`The endpoint answered with more than ${MAX_ANSWER} bytes.`);
    return { value: valueOf(textOf(answer)) };
  }

  private async call(config: EndpointConfig, body: string, signal: AbortSignal): Promise<OutboundResponse> {
    const { url, headers, timeout } = config;
    const limits = { timeoutMs: (timeout ?? DEFAULT_TIMEOUT) * 1000, maxResponseBytes: MAX_ANSWER, signal };
    try {
      return await this.outbound.send({ url, method: 'POST', headers: headersOf(headers ?? {}), body, ...limits });
    } catch (error) {
      if (error instanceof OutboundFailure) throw outsideFailure(error.message, error);
      throw error;
    }
  }
}

function bodyOf(left: LeftValue[]): string {
  return JSON.stringify(Object.fromEntries(left.map(({ title, value }) => [title, value])) satisfies JsonObject);
}

/** Headers of the config override the usual ones. Names are compared without letter case. */
function headersOf(own: Record<string, string>): Record<string, string> {
  const usual = { 'content-type': 'application/json', accept: 'application/json, */*', 'user-agent': 'Tracesheet' };
  return { ...usual, ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])) };
}

/** Describes why an answer is a failure, with the start of its text; null for a result. */
function problemOf(answer: OutboundResponse): string | null {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return null;
  const text = textOf(answer).trim();
  const start = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  const said = start === '' ? `The endpoint answered ${status}.` : `The endpoint answered ${status}: ${start}`;
  if (status < 300 || status >= 400) return said;
  const { location } = headers;
  const target = typeof location === 'string' ? ` to ${location.slice(0, SHOWN)}` : '';
  return `The endpoint answered ${status}, a redirect${target}. Redirects are not followed: give the URL that answers itself.`;
}

/** Decodes the body with the charset of the answer, by default UTF-8. */
function textOf({ headers, body }: OutboundResponse): string {
  const charset = /;\s*charset="?([\w-]+)/i.exec(String(headers['content-type'] ?? ''))?.[1] ?? 'utf-8';
  return decoderFor(charset).decode(body);
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** Parses a text as JSON, or returns it unchanged. */
function valueOf(text: string): JsonValue {
  const value = readJsonWithin(text, JSON_LIMITS);
  return value === undefined ? text : value;
}
