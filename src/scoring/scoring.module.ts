import { type DynamicModule, Module } from '@nestjs/common';
import type { ProcessKind } from '../platform/domain.js';
import { SandboxModule } from '../platform/sandbox/sandbox.module.js';
import { registerWork } from '../platform/work/register-work.js';
import { ScoreWork } from './score-work.js';
import { SheetScorer } from './sheet-scorer.js';

/** Scores of sheets of every owner. Global: domains that start calculations notify its workers. */
@Module({})
export class ScoringModule {
  static for({ works }: ProcessKind): DynamicModule {
    const scores = registerWork(ScoreWork, { queue: 'scores', concurrency: 2, works });
    return {
      module: ScoringModule,
      global: true,
      imports: [SandboxModule, scores],
      providers: [SheetScorer, ...(works ? [ScoreWork] : [])],
      exports: [SheetScorer, scores],
    };
  }
}
