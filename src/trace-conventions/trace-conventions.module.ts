import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Conventions } from './conventions.js';
import { PROVIDED_CONVENTIONS } from './provided-conventions.js';

@Module({
  imports: [DiscoveryModule],
  providers: [Conventions, ...PROVIDED_CONVENTIONS],
  exports: [Conventions],
})
export class TraceConventionsModule {}
