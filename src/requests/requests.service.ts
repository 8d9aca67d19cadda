import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../access/index.js';
import { isoTimestamp } from '../platform/database/iso-timestamp.js';
import { isLarge, LargeReads } from '../platform/database/large-reads.js';
import { inSlices } from '../platform/http/json-stream.js';
import { readPromptNames } from '../prompts/index.js';
import { ERROR_GROUP } from './shared/error-group.js';
import { RequestLog } from './shared/request-log.entity.js';
import type { RequestDetail } from './requests.dto.js';
import { RequestErrors } from './shared/requests.errors.js';
import { RequestScore } from './tracking/tracking.entity.js';

@Injectable()
export class RequestsService {
  constructor(
    private readonly db: DataSource,
    private readonly large: LargeReads,
  ) {}

  /** The JSON text that `toText` makes of a log, in slices. Throws request_not_found. */
  async read(
    caller: Caller,
    id: number,
    toText: (log: RequestDetail) => string,
  ): Promise<Iterable<string> | AsyncIterable<string>> {
    const bytes = await this.sizeOf(caller, id);
    const make = async () => toText(await this.get(caller, id));
    // An error of a small log is still answered with its status.
    return isLarge(bytes) ? slicesOf(this.large.take(caller, bytes, make)) : inSlices(await make());
  }

  /** Stored size in bytes. */
  private async sizeOf({ workspaceId }: Caller, id: number): Promise<number> {
    const [size] = await this.db.query<{ bytes: number }[]>(
      `SELECT pg_column_size(input) + pg_column_size(output) + pg_column_size(prompt_input_variables) AS bytes
         FROM request_logs WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id],
    );
    if (!size) throw RequestErrors.request_not_found(id);
    return size.bytes;
  }

  /** A log with its scores and the name of its prompt. */
  private async get({ workspaceId }: Caller, id: number): Promise<RequestDetail> {
    const { manager } = this.db;
    const { entities, raw: times } = await manager
      .createQueryBuilder(RequestLog, 'log')
      .addSelect(isoTimestamp('log.request_start_time'), 'started')
      .addSelect(isoTimestamp('log.request_end_time'), 'ended')
      .addSelect(ERROR_GROUP, 'error_group')
      .where({ workspaceId, id: String(id) })
      .getRawAndEntities<{ started: string; ended: string; error_group: string | null }>();
    const [log] = entities;
    if (!log) throw RequestErrors.request_not_found(id);
    const scores = await manager.find(RequestScore, { where: { workspaceId, logId: log.id }, order: { name: 'ASC' } });
    const names = await readPromptNames(manager, workspaceId, [log.promptId]);
    const [{ started: startedAt, ended: endedAt, error_group: errorGroup }] = times;
    return { log, startedAt, endedAt, errorGroup, scores, promptName: names.get(log.promptId ?? 0) ?? null };
  }
}

async function* slicesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield* inSlices(text);
}
