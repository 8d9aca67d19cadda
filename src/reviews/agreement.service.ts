import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../access/index.js';
import { type Estimate, estimateScores } from '../platform/statistics/estimates.js';
import { ReviewedRows } from '../tables/index.js';
import { judgedPosition } from './judged.js';
import { answerTo, type Question, questionsOf } from './questions.js';
import type { GivenAnswer } from './review-items.queries.js';
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
  /** Pairs in which an answer to any question was changed when the other one could be seen. */
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

/** About one question. */
export interface QuestionAgreement {
  name: string;
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
   * Returns the agreement on each question, in their order. Counts complete items only, so reviewers who may still answer an item
   * cannot learn the answers of others. Throws review_queue_not_found.
   */
  get(caller: Caller, queueId: string): Promise<QuestionAgreement[]> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const found = await this.queues.find(tx, caller, queueId);
      const complete = await this.items.readComplete(tx, found);
      const agreements: QuestionAgreement[] = [];
      for (const question of questionsOf(found.queue)) {
        const judges = await this.judgesOf(tx, found, question, complete);
        const { name, rubric } = question;
        agreements.push({ name, weights: weightsOf(rubric), pairs: pairsOf(question, complete), judges });
      }
      return agreements;
    });
  }

  private async judgesOf(
    tx: EntityManager,
    { reviewed }: FoundQueue,
    { name, rubric, judgeColumnId }: Question,
    complete: ShownItem[],
  ): Promise<JudgeAgreement[]> {
    const column = judgeColumnId === null ? undefined : reviewed?.columns.find(judgeColumnId);
    if (!reviewed || !column) return [];
    const finished = complete.filter(({ results }) => answerTo(results, name) !== null);
    const rowOf = ({ subjectNumber }: ShownItem) => Number(subjectNumber);
    const periods = await this.rows.judgedPeriods(tx, reviewed, column, finished.map(rowOf));
    return periods.map(({ number, from, to, values }) => {
      const judged = finished.filter((item) => values.has(rowOf(item)));
      const pairs = judged.flatMap((item): Pair[] => {
        const said = judgedPosition(rubric, values.get(rowOf(item))!);
        return said === null ? [] : [[said, positionOf(rubric, answerTo(item.results, name))!]];
      });
      const unreadable = judged.length - pairs.length;
      return { number, versionFrom: from, versionTo: to, unreadable, ...agreementOf(rubric, pairs) };
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

function pairsOf({ name, rubric }: Question, complete: ShownItem[]): ReviewersAgreement[] {
  const found = new Map<string, FoundPair>();
  for (const { answers } of complete) {
    const answered = answers.filter((each) => answerTo(each.answers, name) !== null);
    const sorted = answered.toSorted((a, b) => (a.reviewer < b.reviewer ? -1 : 1));
    for (const [index, first] of sorted.entries()) {
      for (const second of sorted.slice(index + 1)) {
        const key = `${first.reviewer} ${second.reviewer}`;
        const pair = found.get(key) ?? { reviewers: [first.name, second.name], pairs: [], revised: 0 };
        const position = (each: GivenAnswer) => positionOf(rubric, answerTo(each.answers, name))!;
        pair.pairs.push([position(first), position(second)]);
        if (first.revised || second.revised) pair.revised += 1;
        found.set(key, pair);
      }
    }
  }
  const largest = [...found.values()].toSorted((a, b) => b.pairs.length - a.pairs.length).slice(0, MOST_PAIRS);
  return largest.map(({ reviewers, revised, pairs }) => ({ reviewers, revised, ...agreementOf(rubric, pairs) }));
}
