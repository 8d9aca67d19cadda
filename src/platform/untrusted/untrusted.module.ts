import { Module } from '@nestjs/common';
import { Isolation } from './isolation.js';

@Module({ providers: [Isolation], exports: [Isolation] })
export class UntrustedModule {}
