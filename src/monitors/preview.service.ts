import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/index.js';
import { Series } from '../rollups/index.js';
import { ReadingPool } from '../platform/database/reading-pool.js';
import { checkDefinition } from './check-definition.js';
import { type Definition, HOUR, lengthsOf, MINUTE, previewStepOf, WEEK } from './definition.js';
import { endOf } from './evaluation.js';
import { groupLabels, labelOf } from './group-labels.queries.js';
import { judge, type Verdict } from './judge.js';
import { type Cause, type Closing, decide, type OpenAlert } from './play.js';
import { type Monitored, MonitoredReader } from './read-monitored.js';

const DAYS = 14;
/** Each group is judged hundreds of times. */
const MOST_GROUPS = 5;

export interface PreviewedAlert {
  cause: Cause;
  openedAt: number;
  /** null while it would still be open. */
  closedAt: number | null;
  closing: Closing | null;
  verdict: Verdict;
}

export interface PreviewedGroup {
  group: string;
  label: string;
  verdicts: Verdict[];
  alerts: PreviewedAlert[];
}

export interface Preview {
  from: number;
  to: number;
  stepMinutes: number;
  groups: PreviewedGroup[];
}

/** Plays the last 14 days by the code that evaluates. */
@Injectable()
export class PreviewService {
  constructor(private readonly pool: ReadingPool) {}

  /** Throws monitor_invalid, and the errors of the filter grammar and the reading pool. */
  async play({ workspaceId }: Caller, definition: Definition): Promise<Preview> {
    checkDefinition(definition);
    const stepMinutes = previewStepOf(definition);
    const to = endOf(definition, Date.now(), stepMinutes);
    const from = to - DAYS * 24 * HOUR;
    const { found, labels } = await this.pool.read(async (tx) => {
      const reader = new MonitoredReader(tx, workspaceId);
      const plan = await reader.plan(definition, [{ from: beginningOf(definition, from), to }]);
      const series = await reader.series(plan);
      const groups = [...series.keys()].map((group) => ({ group }));
      return { found: series, labels: await groupLabels(tx, workspaceId, [{ monitor: { definition }, groups }]) };
    });
    const groups: PreviewedGroup[] = [];
    for (const [group, series] of mostOf(definition, found)) {
      const label = labelOf(definition, group, labels);
      groups.push({ group, label, ...(await playGroup(definition, series, { from, to, stepMinutes })) });
    }
    return { from, to, stepMinutes, groups };
  }
}

function beginningOf(definition: Definition, from: number): number {
  const { rule } = definition;
  const longest = Math.max(...lengthsOf(definition));
  return Math.floor((from - longest - (rule.kind === 'usual' ? rule.weeks * WEEK : 0)) / HOUR) * HOUR;
}

const mostOf = ({ by }: Definition, found: Monitored): [string, Series][] =>
  by === null ? [['', found.get('') ?? new Series()]] : [...found].slice(0, MOST_GROUPS);

async function playGroup(
  definition: Definition,
  series: Series,
  { from, to, stepMinutes }: Pick<Preview, 'from' | 'to' | 'stepMinutes'>,
): Promise<{ verdicts: Verdict[]; alerts: PreviewedAlert[] }> {
  const verdicts: Verdict[] = [];
  const alerts: PreviewedAlert[] = [];
  let open: OpenAlert | null = null;
  for (let at = from + stepMinutes * MINUTE; at <= to; at += stepMinutes * MINUTE) {
    // Other requests are served in between.
    await setImmediate();
    const verdict = judge(definition, series, at);
    keepForHour(verdicts, verdict);
    const change = decide(definition, open, verdict);
    if (change.kind === 'open') {
      alerts.push({ cause: change.alert.cause, openedAt: at, closedAt: null, closing: null, verdict });
    } else if (change.kind === 'close') Object.assign(alerts.at(-1)!, { closedAt: at, closing: change.closing });
    if (change.kind !== 'none') open = change.kind === 'close' ? null : change.alert;
  }
  return { verdicts, alerts };
}

/** One verdict for each hour: the last breach of it, or else the last one. */
function keepForHour(verdicts: Verdict[], verdict: Verdict): void {
  const hourOf = ({ window }: Verdict) => Math.floor((window.to - 1) / HOUR);
  const last = verdicts.at(-1);
  if (!last || hourOf(last) !== hourOf(verdict)) verdicts.push(verdict);
  else if (verdict.kind === 'breach' || last.kind !== 'breach') verdicts[verdicts.length - 1] = verdict;
}
