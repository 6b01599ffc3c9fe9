// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension ChatTemplate {
  /// A day and a time of day, as templates write them into prompts.
  ///
  /// Templates ask for the date with `strftime_now`. The app passes it in, so that the same
  /// conversation with the same date is the same prompt.
  public struct Date: Sendable, Hashable {
    /// The year of the Gregorian calendar.
    public var year: Int
    /// The month, from 1.
    public var month: Int
    /// The day of the month, from 1.
    public var day: Int
    /// The hour, from 0 to 23.
    public var hour: Int
    /// The minute.
    public var minute: Int
    /// The second.
    public var second: Int

    /// Creates a date.
    public init(
      year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0
    ) {
      self.year = min(max(year, 1), 9999)
      self.month = min(max(month, 1), 12)
      self.day = min(max(day, 1), 31)
      self.hour = min(max(hour, 0), 23)
      self.minute = min(max(minute, 0), 59)
      self.second = min(max(second, 0), 60)
    }

    private static let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    private static let weekdays = [
      "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    private var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The day of the year, from 1.
    private var dayOfYear: Int {
      let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      return lengths.prefix(month - 1).reduce(0, +) + day
    }

    /// The day of the week, from 0 for Sunday.
    private var weekday: Int {
      let past = year - 1
      return (past * 365 + past / 4 - past / 100 + past / 400 + dayOfYear) % 7
    }

    /// The date in a format of C's `strftime`, in English; what the format does not know stays.
    func formatted(_ format: String) -> String {
      var result = ""
      var rest = Array(format.unicodeScalars)[...]
      while let scalar = rest.popFirst() {
        guard scalar == "%", var directive = rest.popFirst() else {
          result.unicodeScalars.append(scalar)
          continue
        }
        // `%-d` is glibc's way to leave out what fills a number up.
        let isShort = directive == "-"
        if isShort, let next = rest.popFirst() { directive = next }
        result += text(directive, isShort: isShort) ?? "%\(isShort ? "-" : "")\(directive)"
      }
      return result
    }

    private func text(_ directive: Unicode.Scalar, isShort: Bool) -> String? {
      func filled(_ number: Int, _ width: Int = 2, with fill: String = "0") -> String {
        let digits = String(number)
        return isShort
          ? digits : String(repeating: fill, count: max(0, width - digits.count)) + digits
      }
      let twelve = hour % 12 == 0 ? 12 : hour % 12
      switch directive {
      case "Y": return String(year)
      case "C": return filled(year / 100)
      case "y": return filled(year % 100)
      case "m": return filled(month)
      case "d": return filled(day)
      case "e": return filled(day, with: " ")
      case "H": return filled(hour)
      case "I": return filled(twelve)
      case "k": return filled(hour, with: " ")
      case "l": return filled(twelve, with: " ")
      case "M": return filled(minute)
      case "S": return filled(second)
      case "f": return "000000"
      case "p": return hour < 12 ? "AM" : "PM"
      case "P": return hour < 12 ? "am" : "pm"
      case "B": return Self.months[month - 1]
      case "b", "h": return String(Self.months[month - 1].prefix(3))
      case "A": return Self.weekdays[weekday]
      case "a": return String(Self.weekdays[weekday].prefix(3))
      case "w": return String(weekday)
      case "u": return String(weekday == 0 ? 7 : weekday)
      case "j": return filled(dayOfYear, 3)
      case "U": return filled((dayOfYear + 6 - weekday) / 7)
      case "W": return filled((dayOfYear + 6 - (weekday + 6) % 7) / 7)
      case "F": return formatted("%Y-%m-%d")
      case "D", "x": return formatted("%m/%d/%y")
      case "T", "X": return formatted("%H:%M:%S")
      case "R": return formatted("%H:%M")
      case "r": return formatted("%I:%M:%S %p")
      case "c": return formatted("%a %b %e %H:%M:%S %Y")
      case "n": return "\n"
      case "t": return "\t"
      case "Z", "z": return ""
      case "%": return "%"
      default: return nil
      }
    }
  }
}
