import type { Token, Tokens } from 'marked'

/** Returns the text of Markdown tokens without markup, comments or URLs. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map(textOf)
    .join('')
    .replaceAll(/&(lt|gt|amp|quot);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' }

function textOf(token: Token): string {
  switch (token.type) {
    case 'html':
      return ''
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows]
        .map((row) => `${row.map((cell) => plainText(cell.tokens)).join(' ')}. `)
        .join('')
    }
    case 'list':
      return (token as Tokens.List).items.map((item) => `${plainText(item.tokens)} `).join('')
    case 'paragraph':
    case 'heading':
    case 'blockquote':
      return `${plainText(token.tokens ?? [])} `
    default: {
      const { tokens, text } = token as Tokens.Text
      return tokens ? tokens.map(textOf).join('') : (text ?? ' ')
    }
  }
}
