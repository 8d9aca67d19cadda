import { type DynamicModule, Module } from '@nestjs/common';
import { MergedSegmentsSweep } from './merged-segments.sweep.js';

@Module({})
export class TextSearchModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return { module: TextSearchModule, providers: works ? [MergedSegmentsSweep] : [] };
  }
}
