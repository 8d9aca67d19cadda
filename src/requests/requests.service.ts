import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../access/index.js';
import { readPromptNames } from '../prompts/index.js';
import { RequestLog } from './request-log.entity.js';
import { RequestErrors } from './requests.errors.js';

@Injectable()
export class RequestsService {
  constructor(private readonly db: DataSource) {}

  /** A log with the name of the prompt it is a call of. */
  async get(caller: Caller, id: number): Promise<{ log: RequestLog; promptName: string | null }> {
    const log = await this.db.manager.findOneBy(RequestLog, { workspaceId: caller.workspaceId, id: String(id) });
    if (!log) throw RequestErrors.request_not_found(id);
    const names = await readPromptNames(this.db.manager, caller.workspaceId, [log.promptId]);
    return { log, promptName: names.get(log.promptId ?? 0) ?? null };
  }
}
