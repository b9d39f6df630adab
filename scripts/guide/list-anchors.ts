/** Returns the anchors that GitHub generates from the headings of a Markdown page. */
export function listAnchors(markdown: string): Set<string> {
  const anchors = new Set<string>()
  const text = markdown.replace(/^(`{3,}).*?^\1$/gms, '')
  for (const [, title = ''] of text.matchAll(/^#+\s+(.*)$/gm)) {
    const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
    const slug = plain
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    let name = slug
    for (let count = 1; anchors.has(name); count++) name = `${slug}-${count}`
    anchors.add(name)
  }
  return anchors
}
