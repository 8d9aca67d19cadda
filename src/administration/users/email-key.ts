/** The form in which e-mail addresses are compared: letter case and the ways of writing one letter do not count. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase();
}
