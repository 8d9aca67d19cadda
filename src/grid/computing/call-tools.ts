import { Injectable } from '@nestjs/common';
import { OutboundClient } from '../../platform/outbound/outbound.client.js';
import { ModelPrices } from '../../requests/index.js';
import { OwnSpans } from '../../traces/index.js';
import { SheetOwners } from '../shared/sheet-owners.js';

/** Services for sending, pricing and tracing the calls of cells. */
@Injectable()
export class CallTools {
  constructor(
    readonly outbound: OutboundClient,
    readonly prices: ModelPrices,
    readonly spans: OwnSpans,
    readonly owners: SheetOwners,
  ) {}
}
