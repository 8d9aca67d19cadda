import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { SpanTrees } from '../../traces/index.js';
import type { DatasetVersion } from '../shared/dataset.entity.js';
import { DraftsService } from '../versions/drafts.service.js';
import { getGroup } from '../versions/version.queries.js';
import type { TraceForDataset } from './add-trace.dto.js';
import { toTraceRow } from './trace-row.js';

/** Adds traces to drafts of datasets. */
@Injectable()
export class DatasetTracesService {
  constructor(
    private readonly db: DataSource,
    private readonly trees: SpanTrees,
    private readonly drafts: DraftsService,
  ) {}

  /** Returns the draft, which is created if there is none. */
  async add(caller: Caller, { groupId, traceId, spanId }: TraceForDataset): Promise<DatasetVersion> {
    // Checks the target before waiting for the trace.
    await getGroup(this.db.manager, caller.workspaceId, groupId);
    demand(caller, 'DATASET_EDIT');
    const tree = await this.trees.get(caller, { traceId, spanId });
    return this.drafts.addToAnyDraft(caller, groupId, toTraceRow(tree));
  }
}
