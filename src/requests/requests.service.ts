import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../access/index.js';
import { isoTimestamp } from '../platform/database/iso-timestamp.js';
import { readPromptNames } from '../prompts/index.js';
import { RequestLog } from './request-log.entity.js';
import type { RequestDetail } from './requests.dto.js';
import { RequestErrors } from './requests.errors.js';
import { RequestScore } from './tracking/tracking.entity.js';

@Injectable()
export class RequestsService {
  constructor(private readonly db: DataSource) {}

  /** A log with its scores and the name of the prompt it is a call of. Throws request_not_found. */
  async get({ workspaceId }: Caller, id: number): Promise<RequestDetail> {
    const { manager } = this.db;
    const { entities, raw: times } = await manager
      .createQueryBuilder(RequestLog, 'log')
      .addSelect(isoTimestamp('log.request_start_time'), 'started')
      .addSelect(isoTimestamp('log.request_end_time'), 'ended')
      .where({ workspaceId, id: String(id) })
      .getRawAndEntities<{ started: string; ended: string }>();
    const [log] = entities;
    if (!log) throw RequestErrors.request_not_found(id);
    const scores = await manager.find(RequestScore, { where: { workspaceId, logId: log.id }, order: { name: 'ASC' } });
    const names = await readPromptNames(manager, workspaceId, [log.promptId]);
    const [{ started: startedAt, ended: endedAt }] = times;
    return { log, startedAt, endedAt, scores, promptName: names.get(log.promptId ?? 0) ?? null };
  }
}
