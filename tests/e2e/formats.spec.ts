/** The format explorer: moved by keyboard, click, touch, address and link; what it reads is fixed by the curriculum and by PyTorch. */
import { expect, test } from './site';

type Page = import('@playwright/test').Page;
const number = (page: Page) => page.getByRole('textbox', { name: 'Number or expression' });
const row = (page: Page, format: string) => page.locator(`[data-format="${format}"]`);
const value = (page: Page, format: string) => row(page, format).locator('[data-number]');
const fact = (page: Page, id: string) => page.locator(`[data-fact="${id}"] dd`);
const bits = (page: Page) => page.locator('[data-bits]');

test('typed numbers are rounded in every format as PyTorch rounds them', async ({ page }) => {
  await page.goto('/formats/');
  const expected: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['65519.99', { float16: '65504', bfloat16: '65536', tf32: '65504', float8_e5m2: 'inf', float8_e4m3fn: '448' }],
    ['65520', { float16: 'inf', float32: '65520' }],
    ['10000 * 10000', { float16: 'inf', bfloat16: '100139008' }],
    ['1e-8', { float16: '0', float8_e5m2: '0' }],
    ['1e-8 * 1024', { float16: '1.0251998901367188e-5' }],
    ['2**-24', { float16: '5.960464477539063e-8', float8_e4m3fn: '0' }],
    ['1 + 0.001', { bfloat16: '1', float16: '1.0009765625' }],
    ['256 + 1', { bfloat16: '256', float16: '257' }],
    ['2048 + 1', { float16: '2048', bfloat16: '2048' }],
    ['inf', { float16: 'inf', float8_e4m3fn: '448' }],
    ['nan', { float16: 'nan', float8_e4m3fn: 'nan' }],
    ['0x7bff', { float16: '65504' }],
    ['float16(0.1)', { float32: '0.0999755859375' }],
  ];
  for (const [text, values] of expected) {
    await number(page).fill(text);
    for (const [format, shown] of Object.entries(values))
      await expect(value(page, format), `${text} in ${format}`).toHaveText(shown);
  }
  await number(page).fill('65520');
  await expect(row(page, 'float16')).toContainText('overflows to inf');
  await expect(fact(page, 'class')).toHaveText('overflow: rounds to infinity from 65520 on');
  await number(page).fill('1e-8');
  await expect(row(page, 'float16')).toContainText('underflows to 0');
  await number(page).fill('2**-24');
  await expect(fact(page, 'class')).toHaveText('subnormal: 1 of 11 significant bits are left');
  await number(page).fill('0.1');
  await expect(fact(page, 'stored')).toHaveText('0.0999755859375');
  await expect(fact(page, 'ulp')).toContainText('6.103515625e-5');
  await expect(fact(page, 'neighbours')).toContainText('0.09991455078125');
  await expect(fact(page, 'neighbours')).toContainText('0.10003662109375');
  await expect(fact(page, 'bits')).toContainText('0x2e66');
});

test('what can’t be read says why, and the last number stays', async ({ page }) => {
  await page.goto('/formats/#v=65504&f=float16');
  await expect(value(page, 'float16')).toHaveText('65504');
  await number(page).fill('65504 +');
  await expect(page.getByText('Something is missing at the end')).toBeVisible();
  await expect(number(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(value(page, 'float16')).toHaveText('65504');
  await number(page).fill('1/0');
  await expect(page.getByText(/ZeroDivisionError/)).toBeVisible();
});

test('bits are toggled by click and by keyboard', async ({ page }) => {
  await page.goto('/formats/#v=65504&f=float16');
  await expect(bits(page)).toHaveAttribute('data-bits', '0x7bff');
  const significand = page.getByRole('group', { name: 'significand' });
  // The last bit: 65504 - 32.
  await significand.getByRole('button', { name: 'significand bit 0' }).click();
  await expect(number(page)).toHaveValue('65472');
  await page.getByRole('button', { name: 'sign bit' }).click();
  await expect(number(page)).toHaveValue('-65472');

  // One tab stop; arrows move, 0 and 1 write, up and down go to the next value.
  await number(page).fill('0');
  await page.getByRole('button', { name: 'sign bit' }).focus();
  await page.keyboard.press('End');
  await expect(significand.getByRole('button', { name: 'significand bit 0' })).toBeFocused();
  await page.keyboard.press('1');
  await expect(number(page)).toHaveValue('5.960464477539063e-8');
  await page.keyboard.press('ArrowDown');
  await expect(number(page)).toHaveValue('0');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await expect(bits(page)).toHaveAttribute('data-bits', '0x0002');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 5; i++) await page.keyboard.press('1');
  // All ones in the exponent and a significand that is not zero.
  await expect(bits(page)).toHaveAttribute('data-bits', '0x7c02');
  await expect(value(page, 'float16')).toHaveText('nan');
  await expect(number(page)).toHaveValue('0x7c02');
  // In another format the pattern is only a NaN.
  await page.getByRole('radio', { name: 'bfloat16' }).check();
  await expect(number(page)).toHaveValue('nan');
});

test('neighbours are a click away, across the end of the format', async ({ page }) => {
  await page.goto('/formats/#v=65504&f=float16');
  await page.getByRole('button', { name: 'Next larger: inf' }).click();
  await expect(number(page)).toHaveValue('inf');
  await page.getByRole('button', { name: 'Next smaller: 65504' }).click();
  await expect(number(page)).toHaveValue('65504');
});

test('the slider moves the number through the octaves, and the lanes count the values there', async ({ page }) => {
  await page.goto('/formats/#v=1.5&f=float16');
  const count = (format: string) => page.locator(`[data-lane="${format}"] [data-count]`);
  await expect(count('float16')).toHaveText(/^1,024/);
  await expect(count('bfloat16')).toHaveText(/^128/);
  await expect(count('float32')).toHaveText(/^8,388,608/);
  const slider = page.getByRole('slider', { name: 'Magnitude, as a power of two' });
  await slider.focus();
  for (let i = 0; i < 15; i++) await page.keyboard.press('ArrowLeft');
  // 1.5 * 2^-15: half of float16's values are left there, and none of e4m3's.
  await expect(number(page)).toHaveValue('4.57763671875e-5');
  await expect(count('float16')).toHaveText(/^512/);
  await expect(count('float8_e4m3fn')).toHaveText(/^0/);
});

test('every state has an address; back undoes, and a link opens it', async ({ page }) => {
  await page.goto('/formats/');
  await page.getByRole('button', { name: '65520' }).click();
  await expect(page).toHaveURL(/#v=65520&f=float16$/);
  await row(page, 'bfloat16').click();
  await expect(page).toHaveURL(/#v=65520&f=bfloat16$/);
  await number(page).fill('1/3');
  await expect(page).toHaveURL(/#v=1\/3&f=bfloat16$/);
  await page.goBack();
  await expect(number(page)).toHaveValue('65520');
  await expect(row(page, 'bfloat16')).toHaveAttribute('data-selected', 'true');
  await page.goBack();
  await expect(row(page, 'float16')).toHaveAttribute('data-selected', 'true');
  await page.goBack();
  await expect(number(page)).toHaveValue('0.1');
  await page.goForward();
  await expect(number(page)).toHaveValue('65520');

  await page.goto('/formats/#v=2**-24&f=float16');
  await expect(value(page, 'float16')).toHaveText('5.960464477539063e-8');
  // Links of the table open their value.
  await page.getByRole('cell').getByRole('link', { name: '57344' }).click();
  await expect(number(page)).toHaveValue('57344');
  await expect(row(page, 'float8_e5m2')).toHaveAttribute('data-selected', 'true');
});

test('PyTorch’s way through float32 is told where it matters', async ({ page }) => {
  await page.goto('/formats/#v=65519.999&f=float16');
  await expect(page.locator('[data-note="through-float32"]')).toContainText('PyTorch gives inf (0x7c00)');
  await expect(value(page, 'float16')).toHaveText('65504');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });
  test('a tap toggles a bit, and every key is big enough for a finger', async ({ page }) => {
    await page.goto('/formats/#v=1&f=float32');
    await page.getByRole('button', { name: 'exponent bit 7' }).tap();
    // 2^(255 - 127) would be; the exponent field 255 is infinity.
    await expect(value(page, 'float32')).toHaveText('inf');
    const small = await page
      .locator('[data-bits] button')
      .evaluateAll(
        (keys) =>
          keys.map((key) => key.getBoundingClientRect()).filter((box) => box.width < 24 || box.height < 44).length,
      );
    expect(small).toBe(0);
  });
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });
  test('the formats’ numbers can be read', async ({ page }) => {
    await page.goto('/formats/');
    const table = page.getByRole('table');
    for (const text of ['65504', '57344', '448', '3.39e38', '5.96e-8', '0.0009766', '0.007813', '16,777,216']) {
      await expect(table.getByText(text, { exact: true }).first()).toBeVisible();
    }
    await expect(value(page, 'float16')).toHaveText('0.0999755859375');
  });
});
