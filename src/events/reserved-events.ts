/** Events that clients know and nothing here announces yet, with what they would mean. */
export const RESERVED_EVENTS: ReadonlyMap<string, string> = new Map([
  ['prompt_template_label_change_requested', 'Somebody asked for a protected label to be moved or removed.'],
  ['prompt_template_label_change_approved', 'Such a change was approved.'],
  ['prompt_template_label_change_denied', 'Such a change was denied.'],
]);
