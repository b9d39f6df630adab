import { expect, it } from 'vitest'
import { parseColour } from './colour.ts'

it.each([
  ['#fff', '#ffffff'],
  ['#F0A8', '#ff00aa88'],
  ['#0b5d66', '#0b5d66'],
  ['#0b5d66ff', '#0b5d66'],
  ['#0b5d6680', '#0b5d6680'],
  ['red', '#ff0000'],
  ['RebeccaPurple', '#663399'],
  ['grey', '#808080'],
  ['transparent', '#00000000'],
  ['rgb(255, 0, 128)', '#ff0080'],
  ['rgb(255 0 128 / 50%)', '#ff008080'],
  ['rgba(255,0,128,.5)', '#ff008080'],
  ['rgb(100%, 0%, 50%)', '#ff0080'],
  ['rgb(300, -5, 0)', '#ff0000'],
  ['hsl(120, 100%, 25%)', '#008000'],
  ['hsl(210deg 50% 40% / 0.25)', '#33669940'],
  ['hsla(-0.5turn, 100%, 50%, 1)', '#00ffff'],
])('%s is the colour %s', (text, expected) => expect(parseColour(text)).toBe(expected))

const noHexes = ['#12', '#12345', '#1234567', '#gggggg', '#00ff88;']
const miscounted = ['rgb(1,2)', 'rgb(1,2,3,4,5)', 'rgb(1 2 3, 4)', 'rgb(1,2,3/4)', 'rgb(1%,2,3)']
const malformed = ['hsl(1,2,3)', 'rgb(,,)', 'rgb(.,.,.)', 'rgb(1,2,3)}']
const others = ['', 'blurple', 'url(x)', 'red;background:url(//evil.example)', 'var(--x)']

it.each([...others, ...noHexes, ...miscounted, ...malformed])('%s is none', (text) =>
  expect(parseColour(text)).toBeUndefined())
