import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../access/index.js';
import { RequestLog } from './request-log.entity.js';
import { RequestErrors } from './requests.errors.js';

@Injectable()
export class RequestsService {
  constructor(private readonly db: DataSource) {}

  async get(caller: Caller, id: number): Promise<RequestLog> {
    const log = await this.db.manager.findOneBy(RequestLog, { workspaceId: caller.workspaceId, id: String(id) });
    if (!log) throw RequestErrors.request_not_found(id);
    return log;
  }
}
