import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { TraceErrors } from '../shared/traces.errors.js';
import { IngestReceipt } from './ingest-receipt.entity.js';

@Injectable()
export class ReceiptsService {
  constructor(private readonly db: DataSource) {}

  async get({ workspaceId }: Caller, id: string): Promise<IngestReceipt> {
    const receipt = await this.db.manager.findOneBy(IngestReceipt, { workspaceId, id });
    if (!receipt) throw TraceErrors.receipt_not_found(id);
    return receipt;
  }
}
