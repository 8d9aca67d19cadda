import { Global, Module } from '@nestjs/common';
import { ArrivalListeners } from './arrival-listeners.js';

@Global()
@Module({ providers: [ArrivalListeners], exports: [ArrivalListeners] })
export class ArrivalsModule {}
