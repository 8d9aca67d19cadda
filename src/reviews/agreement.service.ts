import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { type Estimate, estimateScores, ReviewedRows } from '../tables/index.js';
import { judgedPosition } from './judged.js';
import { ReviewItemsService, type ShownItem } from './review-items.service.js';
import { type FoundQueue, ReviewQueuesService } from './review-queues.service.js';
import { choicesOf, positionOf, type Rubric } from './rubric.js';
import { type Kappa, kappaOf, type Pair } from './statistics/kappa.js';

/** How far two agree over the items that both have answered. */
export interface Agreement {
  kappa: Kappa;
  /** The share of items with the same answer. */
  share: Estimate;
}

export interface ReviewersAgreement extends Agreement {
  /** Names, as they are called now. */
  reviewers: [string | null, string | null];
  /** Pairs in which an answer was changed when the other one could be seen. */
  revised: number;
}

export interface JudgeAgreement extends Agreement {
  /** Counts the configs of the judge's column, from 1. */
  number: number;
  versionFrom: number;
  versionTo: number;
  /** Items with a value of the judge that is none of the rubric. */
  unreadable: number;
}

export interface QueueAgreement {
  weights: 'none' | 'quadratic';
  pairs: ReviewersAgreement[];
  /** The versions of the judge, the oldest first. Empty without a judge. */
  judges: JudgeAgreement[];
}

/** Pairs with the most items come first. */
const MOST_PAIRS = 20;

/** How far people agree with each other, and judges with people. */
@Injectable()
export class AgreementService {
  constructor(
    private readonly db: DataSource,
    private readonly queues: ReviewQueuesService,
    private readonly items: ReviewItemsService,
    private readonly rows: ReviewedRows,
  ) {}

  /**
   * Over complete items only: nobody who may still answer an item can learn from this what others have answered. Throws
   * review_queue_not_found.
   */
  get(caller: Caller, queueId: string): Promise<QueueAgreement> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const found = await this.queues.find(tx, caller, queueId);
      const { rubric } = found.queue;
      const complete = await this.items.readComplete(tx, found);
      const weights = weightsOf(rubric);
      return { weights, pairs: pairsOf(rubric, complete), judges: await this.judgesOf(tx, found, complete) };
    });
  }

  private async judgesOf(
    tx: EntityManager,
    { queue, reviewed }: FoundQueue,
    complete: ShownItem[],
  ): Promise<JudgeAgreement[]> {
    const column = queue.judgeColumnId === null ? undefined : reviewed?.columns.find(queue.judgeColumnId);
    if (!reviewed || !column) return [];
    const finished = complete.filter(({ result }) => result !== null);
    const rowOf = ({ subjectNumber }: ShownItem) => Number(subjectNumber);
    const periods = await this.rows.judgedPeriods(tx, reviewed, column, finished.map(rowOf));
    return periods.map(({ number, from, to, values }) => {
      const judged = finished.filter((item) => values.has(rowOf(item)));
      const pairs = judged.flatMap((item): Pair[] => {
        const said = judgedPosition(queue.rubric, values.get(rowOf(item))!);
        return said === null ? [] : [[said, positionOf(queue.rubric, item.result)!]];
      });
      const unreadable = judged.length - pairs.length;
      return { number, versionFrom: from, versionTo: to, unreadable, ...agreementOf(queue.rubric, pairs) };
    });
  }
}

const weightsOf = ({ kind }: Rubric) => (kind === 'scale' ? 'quadratic' : 'none');

function agreementOf(rubric: Rubric, pairs: Pair[]): Agreement {
  const same = pairs.map(([first, second]) => (first === second ? 1 : 0));
  return {
    kappa: kappaOf(pairs, choicesOf(rubric).length, weightsOf(rubric)),
    share: estimateScores(same, 'share'),
  };
}

interface FoundPair {
  reviewers: [string | null, string | null];
  pairs: Pair[];
  revised: number;
}

function pairsOf(rubric: Rubric, complete: ShownItem[]): ReviewersAgreement[] {
  const found = new Map<string, FoundPair>();
  for (const { answers } of complete) {
    const sorted = answers.toSorted((a, b) => (a.reviewer < b.reviewer ? -1 : 1));
    for (const [index, first] of sorted.entries()) {
      for (const second of sorted.slice(index + 1)) {
        const key = `${first.reviewer} ${second.reviewer}`;
        const pair = found.get(key) ?? { reviewers: [first.name, second.name], pairs: [], revised: 0 };
        pair.pairs.push([positionOf(rubric, first.answer)!, positionOf(rubric, second.answer)!]);
        if (first.revised || second.revised) pair.revised += 1;
        found.set(key, pair);
      }
    }
  }
  const largest = [...found.values()].toSorted((a, b) => b.pairs.length - a.pairs.length).slice(0, MOST_PAIRS);
  return largest.map(({ reviewers, revised, pairs }) => ({ reviewers, revised, ...agreementOf(rubric, pairs) }));
}
