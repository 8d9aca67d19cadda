import { defineEvent } from '../events/index.js';

/** Details of an alert in an event. */
export interface AlertDetails {
  monitor_id: string;
  monitor_name: string;
  alert_id: string;
  /** A sentence for people. */
  text: string;
  /** The group; null for monitors without groups. */
  group: string | null;
  cause: string;
  measure: string;
  figure: number | null;
  expected_low: number | null;
  expected_high: number | null;
  test: string;
  probability: number | null;
  items: number;
  window_start: string;
  window_end: string;
  opened_at: string;
  closed_at: string | null;
  closing: string | null;
  /** The alert and its items in the console; paths where PUBLIC_URL is not set. */
  url: string;
  items_url: string | null;
}

export const monitorOpened = defineEvent<AlertDetails>(
  'monitor_opened',
  'A monitor opened an alert: `text` says what happened in one sentence, `items_url` leads to the items behind it.',
);

export const monitorStillOpen = defineEvent<AlertDetails>(
  'monitor_still_open',
  'An alert is still open. It is only sent for monitors with `repeat_hours`.',
);

export const monitorClosed = defineEvent<AlertDetails>(
  'monitor_closed',
  'An alert was closed; `closing` says why: it recovered, has no data, or its monitor was paused, changed or deleted.',
);
