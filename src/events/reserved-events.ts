/** Types of events that clients know and this server does not emit yet, with their meaning. */
export const RESERVED_EVENTS: ReadonlyMap<string, string> = new Map([
  ['prompt_template_label_change_requested', 'Somebody asked for a protected label to be moved or removed.'],
  ['prompt_template_label_change_approved', 'Such a change was approved.'],
  ['prompt_template_label_change_denied', 'Such a change was denied.'],
]);
