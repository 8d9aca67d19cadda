import { createHash, randomUUID } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  Logger,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, finalize, from, mergeMap, type Observable, of, switchMap, throwError } from 'rxjs';
import { DataSource } from 'typeorm';
import { persistently } from '../../database/persistently.js';
import { readJson } from '../../read-json.js';
import { CONFIG, type Config } from '../../config/config.js';
import { PlatformErrors } from '../../errors/platform.errors.js';

/** Fields that authentication sets on a request. */
interface Authenticated {
  caller?: { workspaceId: number };
  isOperator?: boolean;
}

/** The operator's keys are stored under this id; workspaces start at 1. */
const OPERATOR = 0;

function isKnown({ caller, isOperator = false }: Authenticated): boolean {
  return caller !== undefined || isOperator;
}

interface Claim {
  workspaceId: number;
  key: string;
  /** Random id of the request, in `response` until there is one. */
  owner: string;
}

/** Condition: the key still belongs to the request. Its parameters are those of `keyOf`. */
const OWNED = 'workspace_id = $1 AND key = $2 AND status IS NULL AND response = $3';

const keyOf = ({ workspaceId, key, owner }: Claim) => [workspaceId, key, owner];

/**
 * Implements `Idempotency-Key`: a retry gets the first answer instead of a second effect. Answers below 500 are stored for a day.
 * A running request renews its lease. One that died without an answer releases its key after the lease, for the same request.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly log = new Logger('Idempotency');

  constructor(
    private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest & Authenticated>();
    const header = request.headers['idempotency-key'];
    if (header === undefined || !isKnown(request)) return next.handle();
    const workspaceId = request.caller?.workspaceId ?? OPERATOR;
    const claim = { workspaceId, key: checkKey(header), owner: randomUUID() };
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return from(this.claim(claim, request)).pipe(
      switchMap((known) => (known ? of(replay(reply, known)) : this.run(claim, next, reply))),
    );
  }

  private run(claim: Claim, next: CallHandler, reply: FastifyReply): Observable<unknown> {
    const timer = setInterval(() => void this.renew(claim), this.config.leaseMs / 3);
    return next.handle().pipe(
      // Only failures of the handler release the key. What fails later does so after the effect.
      catchError((error: unknown) => from(this.release(claim)).pipe(switchMap(() => throwError(() => error)))),
      mergeMap(async (body: unknown) => {
        const text = await toText(body);
        await this.keep(claim, reply.statusCode, text);
        if (body instanceof StreamableFile) void reply.type('application/json; charset=utf-8');
        return body instanceof StreamableFile ? text : body;
      }),
      finalize(() => clearInterval(timer)),
    );
  }

  /** null when the request may run; the stored answer when this key was answered before. */
  private async claim(claim: Claim, request: FastifyRequest): Promise<KeptAnswer | null> {
    const hash = requestHash(request);
    const [claimed] = await this.db.query<unknown[]>(
      `INSERT INTO idempotency_keys AS k (workspace_id, key, response, request_hash) VALUES ($1, $2, $3, $4)
       ON CONFLICT (workspace_id, key) DO UPDATE SET created_at = excluded.created_at, response = excluded.response
         WHERE k.status IS NULL AND k.created_at < now() - $5 * interval '1 millisecond' AND k.request_hash = $4
       RETURNING 1`,
      [...keyOf(claim), hash, this.config.leaseMs],
    );
    if (claimed) return null;
    const [known] = await this.db.query<(KeptAnswer & { request_hash: Buffer })[]>(
      'SELECT request_hash, status, response FROM idempotency_keys WHERE workspace_id = $1 AND key = $2',
      [claim.workspaceId, claim.key],
    );
    if (known && !known.request_hash.equals(hash)) throw PlatformErrors.idempotency_key_reused();
    // The first request failed and released the key between the two statements.
    if (!known || known.status === null) throw PlatformErrors.idempotency_in_progress();
    return known;
  }

  private async renew(claim: Claim): Promise<void> {
    try {
      await this.db.query(`UPDATE idempotency_keys SET created_at = now() WHERE ${OWNED}`, keyOf(claim));
    } catch (error) {
      this.log.warn(`The lease of an Idempotency-Key could not be renewed: ${String(error)}`);
    }
  }

  /** Retries until the lease would end. Never fails: the effect has happened, so the client gets the answer in any case. */
  private async keep(claim: Claim, status: number, text: string | null): Promise<void> {
    const values = [...keyOf(claim), status, text];
    const store = () => this.db.query(`UPDATE idempotency_keys SET status = $4, response = $5 WHERE ${OWNED}`, values);
    try {
      await persistently(store, { longestMs: this.config.leaseMs });
    } catch (error) {
      this.log.error(`An answer to an Idempotency-Key could not be stored: ${String(error)}`);
    }
  }

  private async release(claim: Claim): Promise<void> {
    await this.db.query(`DELETE FROM idempotency_keys WHERE ${OWNED}`, keyOf(claim));
  }
}

async function toText(body: unknown): Promise<string | null> {
  if (!(body instanceof StreamableFile)) return JSON.stringify(body) ?? null;
  const pieces: Buffer[] = [];
  for await (const piece of body.getStream()) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces).toString('utf8');
}

interface KeptAnswer {
  status: number | null;
  response: string | null;
}

function replay(reply: FastifyReply, answer: KeptAnswer): unknown {
  void reply.status(answer.status!).header('idempotent-replay', 'true');
  return answer.response === null ? undefined : readJson(answer.response);
}

function checkKey(header: string | string[] | undefined): string {
  const key = String(header);
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw PlatformErrors.idempotency_key_invalid();
  return key;
}

function requestHash(request: FastifyRequest): Buffer {
  const hash = createHash('sha256').update(`${request.method} ${request.url}\n`);
  hash.update(JSON.stringify(request.body) ?? '');
  if (request.uploadedFile) hash.update('\n').update(request.uploadedFile);
  return hash.digest();
}
