import { Module } from '@nestjs/common';
import { OutboundClient } from './outbound.client.js';

@Module({ providers: [OutboundClient], exports: [OutboundClient] })
export class OutboundModule {}
