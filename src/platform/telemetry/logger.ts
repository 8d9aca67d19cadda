import type { LoggerService } from '@nestjs/common';
import { type Logger as Pino, pino } from 'pino';

/** Headers and fields that may carry a secret; they never reach a log line. */
const REDACTED = ['req.headers', 'headers', '*.apiKey', '*.api_key', '*.password', '*.authorization'];

/** One JSON object a line, on standard output. */
export function createLogger(level: string): Pino {
  return pino({ level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime, redact: REDACTED });
}

/** Logs of Nest and of the services through pino. */
export class NestLogger implements LoggerService {
  constructor(private readonly lines: Pino) {}

  /** A message may be an object with the key `message`: its other keys become fields of the line. */
  log(message: unknown, context?: string): void {
    // Nest logs every module and route at start: only useful for debugging.
    const quiet = ['InstanceLoader', 'RouterExplorer', 'RoutesResolver', 'NestFactory', 'NestApplication'];
    this.lines[quiet.includes(context ?? '') ? 'debug' : 'info']({ context, ...fieldsOf(message) }, textOf(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.lines.error({ context: rest.at(-1), stack: rest.length > 1 ? rest[0] : undefined }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.lines.warn({ context, ...fieldsOf(message) }, textOf(message));
  }

  debug(message: unknown, context?: string): void {
    this.lines.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: string): void {
    this.lines.trace({ context }, String(message));
  }

  fatal(message: unknown, context?: string): void {
    this.lines.fatal({ context }, String(message));
  }
}

interface Structured {
  message: string;
}

function isStructured(message: unknown): message is Structured {
  if (typeof message !== 'object' || message === null || message instanceof Error) return false;
  return typeof (message as Structured).message === 'string';
}

const textOf = (message: unknown): string => (isStructured(message) ? message.message : String(message));

function fieldsOf(message: unknown): object {
  if (!isStructured(message)) return {};
  const { message: _, ...fields } = message;
  return fields;
}
