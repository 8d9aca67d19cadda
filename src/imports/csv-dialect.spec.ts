import { describe, expect, it } from 'vitest';
import { detectDialect } from './csv-dialect.js';

describe('the delimiter of a CSV', () => {
  it.each<[string, string, string]>([
    ['commas', 'a,b\n1,2\n', ','],
    ['semicolons', 'name;note\nA;x\nB;y\n', ';'],
    ['semicolons between decimal commas', 'name;price\nA;1,5\nB;2,25\n', ';'],
    ['semicolons where every row has one decimal comma', 'Amount, EUR;Name\n1,5;A\n2,5;B\n', ';'],
    ['semicolons and quotes', '"name";"note"\n"A";"x;y"\n"B";"a ""b"""\n', ';'],
    ['semicolons and sentences', 'id;text\n1;Hello, you\n2;Yes, no, and, so\n', ';'],
    ['tabs', 'a\tb\n1,2\t3\n', '\t'],
    ['bars', 'a|b\n1|2\n', '|'],
    ['commas and lists in the texts', 'id,tags\n1,a;b\n2,c;d\n', ','],
    ['commas and lists in titles too', 'id,tags;more\n1,a;b\n2,c;d\n', ','],
    ['commas in rows of any length', 'a,b\n1\n2,3,4\n5;6\n', ','],
    ['a header alone', 'input\n', ','],
    ['a header alone with semicolons', 'input;expected', ';'],
    ['one column of texts with commas', 'note\n"Hello, you"\n"a, b, c"\n', ','],
    ['one column of texts with semicolons', 'note\na; b\nc; d\n', ','],
    ['one column of texts with tabs', 'note\na\tb\nc\td\n', ','],
    ['one column with a semicolon in its title', 'for; against\nyes\nno\nperhaps\n', ','],
    ['a quoted title', '"a;b"\n"1;2"\n', ','],
    ['blank lines', '\n\na;b\n\n1;2\n\n\n3;4\n', ';'],
    ['delimiters at the ends of lines', 'a;b;\n1;2;\n3;4;;\n', ';'],
    ['one bad row', 'a;b\n1;2\n3;4;5\n6;7\n', ';'],
    ['CR alone', 'a;b\r1;2\r', ';'],
    ['nothing', '', ','],
    ['a line that names it', 'sep=;\na,b;c\n1;2\n', ';'],
    ['a line that names another', '"sep=|"\na,b\n1|2\n', '|'],
    ['a line that names a tab', 'SEP=\t\r\na\tb\r\n', '\t'],
    ['a title that looks like such a line', 'sep=x,b\n1,2\n', ','],
  ])('is found in a file with %s', (_, text, delimiter) => {
    expect(detectDialect(text, null)).toMatchObject({ delimiter });
  });

  it('is the given one', () => {
    expect(detectDialect('a,b;c\n1,2;3\n', ';')).toEqual({ delimiter: ';', hasSeparatorLine: false, suspect: null });
    expect(detectDialect('sep=;\na,b;c\n', ',')).toEqual({ delimiter: ',', hasSeparatorLine: true, suspect: null });
  });

  it.each([
    ['note\na;b\n', null],
    ['for;against\nyes\nno\n', ';'],
    ['a|b|c\nno\nneither\n', '|'],
  ])('is a comma for %j, with %j as suspect', (text, suspect) => {
    expect(detectDialect(text, null)).toMatchObject({ delimiter: ',', suspect });
  });
});
