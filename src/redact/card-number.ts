// Visa, Mastercard, Discover and JCB with 16 digits, American Express with 15. Diners' 14 digits look like timestamps.
const ISSUERS =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|6(?:011|4[4-9]\d|5\d\d)\d{12}|35\d{14}|3[47]\d{13})$/;

/**
 * Tells whether digits, in groups or not, are a payment card's number: a known issuer, and a right check digit (Luhn).
 */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/[ -]/g, "");
  return ISSUERS.test(digits) && luhnSum(digits) % 10 === 0;
}

function luhnSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum;
}
