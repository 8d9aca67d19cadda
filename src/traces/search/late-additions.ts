import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sendTogether } from '../../platform/database/send-together.js';
import { LogAdditions } from '../../requests/index.js';
import { queueTraces } from './trace-queue.queries.js';

/** Queues the traces of logs to which clients have added something: a trace is also found by these additions. */
@Injectable()
export class LateAdditions implements OnModuleInit {
  constructor(private readonly additions: LogAdditions) {}

  onModuleInit(): void {
    // One trace at a time, after its log was locked: the order in which ingestion takes these locks, too.
    this.additions.listen(async (tx, trace) => void (await sendTogether(tx, queueTraces([trace]))));
  }
}
