"""expand: the labelled sets of redaction, with values made up on the spot.

A line of a set is {"label", "text"}. In a text, « and » enclose text that must be redacted, and ‹kind:argument› for a value that is
drawn anew each time, always the same for one seed: so no file holds anything that looks like a live key.
Invariant: check digits are computed here, by nothing that the program under test has.
Not here: judging (bench/redaction).
"""
import base64
import hashlib
import json
import pathlib
import random
import re
import string

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = string.digits
UPPER = string.ascii_uppercase
LETTERS = string.ascii_letters
HEX = "0123456789abcdef"
WORDS = """sunny winter dragon monkey coffee orange purple silver tiger falcon garden rocket summer thunder yellow banana
 shadow ninja pepper cookie maggie hunter soccer flower master welcome qwerty football""".split()


def verhoeff_digit(digits):
    def times(a, b):
        if a < 5:
            return (a + b) % 5 if b < 5 else (a + b - 5) % 5 + 5
        return (a - 5 - b) % 5 + 5 if b < 5 else (a - b) % 5
    step = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
    for check in DIGITS:
        total = 0
        for i, c in enumerate(reversed(digits + check)):
            d = int(c)
            for _ in range(i % 8):
                d = step[d]
            total = times(total, d)
        if total == 0:
            return check


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def draw(self, alphabet, count):
        return "".join(self.random.choice(alphabet) for _ in range(count))

    def digits(self, count):
        return self.draw(DIGITS, count)

    def until(self, make, fits):
        while True:
            value = make()
            if fits(value):
                return value

    def weighted(self, count, weights, modulus, show=lambda d: d):
        """Digits whose weighted sum is 0 modulo something."""
        ok = lambda d: sum(w * int(c) for w, c in zip(weights, d)) % modulus == 0
        return show(self.until(lambda: self.draw("123456789", 1) + self.digits(count - 1), ok))

    def human(self):
        """As people make passwords."""
        r = self.random
        word, other = r.choice(WORDS), r.choice(WORDS)
        return r.choice([
            word.capitalize() + self.digits(2) + r.choice("!@#$%"), word + self.digits(3), word + other, word.capitalize() + "-" + other + self.digits(1),
            word.replace("o", "0").replace("e", "3") + self.digits(2), self.draw(LETTERS + DIGITS, 10) + r.choice("!@$"), word.capitalize() + other.capitalize() + self.digits(1),
            self.digits(4) + word, word + "_" + self.digits(4)])

    def jwt(self):
        part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
        return ".".join([part({"alg": "HS256", "typ": "JWT"}), part({"sub": self.digits(10), "iat": int(self.digits(9))}), self.draw(LETTERS + DIGITS + "-_", 43)])

    def card(self, prefix="4", size="16", style=""):
        body = prefix + self.digits(int(size) - 1 - len(prefix))
        number = body + self.luhn(body)
        if style == "amex":
            return f"{number[:4]} {number[4:10]} {number[10:]}"
        groups = [number[i:i + 4] for i in range(0, len(number), 4)]
        return {"": number, "space": " ".join(groups), "dash": "-".join(groups)}[style]

    @staticmethod
    def luhn(body):
        total = 0
        for i, d in enumerate(map(int, reversed(body))):
            d = d * 2 if i % 2 == 0 else d
            total += d - 9 if d > 9 else d
        return str(-total % 10)

    def iban(self, country, style=""):
        size = {"DE": 22, "GB": 22, "FR": 27, "NL": 18, "ES": 24, "IT": 27}[country]
        letters = {"GB": 4, "NL": 4, "IT": 1}.get(country, 0)
        body = self.draw(UPPER, letters) + self.digits(size - 4 - letters)
        number = "".join(str(int(c, 36)) for c in body + country + "00")
        whole = f"{country}{98 - int(number) % 97:02d}{body}"
        return " ".join(whole[i:i + 4] for i in range(0, size, 4)) if style else whole

    def mod11(self, body, most):
        for _ in range(2):
            weights = [2 + i % (most - 1) for i in range(len(body))]
            rest = sum(w * int(c) for w, c in zip(weights, reversed(body))) % 11
            body += str(0 if rest < 2 else 11 - rest)
        return body

    def steuer(self):
        body = self.draw("123456789", 1) + self.digits(9)
        product = 10
        for c in body:
            total = (int(c) + product) % 10 or 10
            product = total * 2 % 11
        return body + str((11 - product) % 10)

    def fiscale(self):
        odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
        body = self.draw(UPPER, 6) + self.digits(2) + self.draw("ABCDEHLMPRST", 1) + f"{self.random.randint(1, 28):02d}" + self.draw(UPPER, 1) + self.digits(3)
        values = [int(c) if c.isdigit() else ord(c) - 65 for c in body]
        return body + chr(65 + sum(odd[v] if i % 2 == 0 else v for i, v in enumerate(values)) % 26)

    def bitcoin(self):
        payload = b"\0" + bytes(self.random.randrange(1, 256) for _ in range(20))
        payload += hashlib.sha256(hashlib.sha256(payload).digest()).digest()[:4]
        number, out = int.from_bytes(payload, "big"), ""
        while number:
            number, rest = divmod(number, 58)
            out = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[rest] + out
        return "1" + out

    def nhs(self):
        def check(body):
            return (11 - sum((10 - i) * int(c) for i, c in enumerate(body)) % 11) % 11
        body = self.until(lambda: self.digits(9), lambda b: check(b) != 10)
        whole = body + str(check(body))
        return f"{whole[:3]} {whole[3:6]} {whole[6:]}"

    def make(self, kind, *arguments):
        r = self.random
        simple = {"an": LETTERS + DIGITS, "an36": string.ascii_lowercase + DIGITS, "up": UPPER + "234567", "hex": HEX, "HEX": HEX.upper(), "b64": LETTERS + DIGITS + "+/",
                  "b64u": LETTERS + DIGITS + "-_", "dig": DIGITS, "let": LETTERS, "pw": LETTERS + DIGITS + "!%*+-_.", "pw2": string.ascii_lowercase + DIGITS + "!@#$%^&*(-_=+)",
                  "noise": LETTERS + DIGITS + "!@#$%^&*()-_=+[]{}|;:,./?~ "}
        if kind in simple:
            return self.draw(simple[kind], int(arguments[0]))
        if kind in ("human", "jwt", "steuer", "fiscale", "nhs"):
            return getattr(self, kind)()
        if kind in ("card", "iban"):
            return getattr(self, kind)(*arguments)
        spaced = lambda d: f"{d[:3]} {d[3:6]} {d[6:]}"
        day = lambda: f"{r.randint(10, 99)}{r.randint(1, 12):02d}{r.randint(1, 28):02d}"
        makers = {
            "basic": lambda: base64.b64encode(f"{r.choice(WORDS)}:{self.human()}".encode()).decode(),
            "uuid": lambda: "-".join(self.draw(HEX, n) for n in (8, 4, 4, 4, 12)),
            "hex4": lambda: self.draw("123456789abcdef", 1) + self.draw(HEX, 3),
            "badcard": lambda: (lambda body: body + str((int(self.luhn(body)) + 3) % 10))("4" + self.digits(14)),
            "badiban": lambda: (lambda i: i[:2] + f"{(int(i[2:4]) + 5) % 97:02d}" + i[4:])(self.iban(arguments[0])),
            "ssn": lambda: f"{r.randint(100, 665)}-{r.randint(10, 99)}-{r.randint(1000, 9999)}",
            "ip": lambda: f"{r.choice([5, 23, 45, 81, 93, 104, 151, 185, 203])}.{r.randint(33, 250)}.{r.randint(1, 250)}.{r.randint(1, 250)}",
            "mac": lambda: ":".join(self.draw(HEX, 2) for _ in range(6)),
            "macdash": lambda: "-".join(self.draw(HEX.upper(), 2) for _ in range(6)),
            "btc": self.bitcoin,
            "aadhaar": lambda: (lambda b: f"{b[:4]} {b[4:8]} {b[8:]}{verhoeff_digit(b)}")(r.choice("23456789") + self.digits(10)),
            "pesel": lambda: (lambda b: b + str(-sum(w * int(c) for w, c in zip([1, 3, 7, 9, 1, 3, 7, 9, 1, 3], b)) % 10))(day() + self.digits(4)),
            "nif": lambda: (lambda d: d + "TRWAGMYFPDXBNJZSQVHLCKE"[int(d) % 23])(self.digits(8)),
            "cpf": lambda: (lambda d: f"{d[:3]}.{d[3:6]}.{d[6:9]}-{d[9:]}")(self.mod11(self.digits(9), 99)),
            "cnpj": lambda: (lambda d: f"{d[:2]}.{d[2:5]}.{d[5:8]}/{d[8:12]}-{d[12:]}")(self.mod11(self.digits(8) + "0001", 9)),
            "aba": lambda: self.until(lambda: "0" + self.digits(8), lambda d: sum(w * int(c) for w, c in zip([3, 7, 1] * 3, d)) % 10 == 0),
            "npi": lambda: (lambda b: b + self.luhn("80840" + b))("1" + self.digits(8)),
            "tfn": lambda: self.weighted(9, [1, 4, 3, 7, 5, 8, 6, 9, 10], 11, spaced),
            "abn": lambda: self.until(lambda: self.draw("123456789", 1) + self.digits(10),
                                      lambda d: (sum(w * int(c) for w, c in zip([10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19], d)) - 10) % 89 == 0),
            "bsn": lambda: self.weighted(9, [9, 8, 7, 6, 5, 4, 3, 2, -1], 11),
            "sin": lambda: (lambda b: spaced(b + self.luhn(b)))(r.choice("1234567") + self.digits(7)),
            "personnummer": lambda: (lambda b: f"{b[:6]}-{b[6:]}{self.luhn(b)}")(day() + self.digits(3)),
            "nino": lambda: f"{r.choice(['AB', 'CE', 'JK', 'PR'])}{self.digits(6)}{r.choice('ABCD')}",
        }
        return makers[kind]()


def records(name, times):
    """(label, text, text that must be redacted): each line of a set, `times` times with other values."""
    for number, line in enumerate((HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
        one = json.loads(line)
        for turn in range(times):
            maker = Maker(f"{name} {number} {turn}")
            filled = re.sub("‹([^›]*)›", lambda m: maker.make(*m[1].split(":")), one["text"])
            yield one["label"], re.sub("[«»]", "", filled), re.findall("«([^»]*)»", filled)
