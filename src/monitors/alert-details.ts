import type { AlertDetails } from './monitor-events.js';
import { itemsPath } from './items-link.js';
import type { MonitorAlert } from './monitor-alert.entity.js';
import type { Monitor } from './monitor.entity.js';
import { figureText, rangeText, titleOf } from './words.js';

/** Details of an alert for events. */
export function toAlertDetails(
  { id, name }: Pick<Monitor, 'id' | 'name'>,
  alert: MonitorAlert,
  publicUrl: string,
): AlertDetails {
  const { window, figure, band, test, probability, items } = alert.lastVerdict;
  const path = itemsPath(alert.definition, { group: alert.groupKey, window });
  return {
    monitor_id: id,
    monitor_name: name,
    alert_id: alert.id,
    text: textOf(name, alert),
    group: alert.groupKey === '' ? null : alert.groupLabel,
    cause: alert.cause,
    measure: alert.definition.measure,
    figure,
    expected_low: band.low,
    expected_high: band.high,
    test,
    probability,
    items,
    window_start: new Date(window.from).toISOString(),
    window_end: new Date(window.to).toISOString(),
    opened_at: alert.openedAt.toISOString(),
    closed_at: alert.closedAt?.toISOString() ?? null,
    closing: alert.closing,
    url: absolute(publicUrl, `/console/monitors?id=${id}`),
    items_url: path === null ? null : absolute(publicUrl, path),
  };
}

export const absolute = (publicUrl: string, path: string): string =>
  publicUrl === '' ? path : new URL(path, publicUrl).href;

const ENDS = {
  recovered: 'is over',
  no_data: 'ended without data',
  paused: 'ended: the monitor was paused',
  changed: 'ended: the monitor was changed',
  deleted: 'ended: the monitor was deleted',
};

type Told = Pick<MonitorAlert, 'groupKey' | 'groupLabel' | 'cause' | 'closing' | 'definition' | 'lastVerdict'>;

/** An alert in one sentence. */
export function textOf(name: string, alert: Told): string {
  const { groupKey, groupLabel, cause, closing, definition, lastVerdict } = alert;
  const subject = groupKey === '' ? name : `${name} (${groupLabel})`;
  const { figure, band, items } = lastVerdict;
  const now =
    figure === null || items === 0
      ? 'no items'
      : `${titleOf(definition)} ${figureText(definition.measure, figure)}, expected ${rangeText(definition.measure, band)}`;
  if (closing !== null) return `${subject} ${ENDS[closing]}. Now: ${now}.`;
  return cause === 'no_data' ? `${subject} has no data.` : `${subject}: ${now}, ${items} items.`;
}
